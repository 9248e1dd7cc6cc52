import { type OpenApiDocument, writeOpenApi } from "@countersign/contract/openapi/openapi";

let document: OpenApiDocument | undefined;

/** The OpenAPI document, generated once: that takes a second. */
export function openApiDocument(): OpenApiDocument {
  if (document !== undefined) return document;
  const steps = writeOpenApi();
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  document = step.value;
  return document;
}
