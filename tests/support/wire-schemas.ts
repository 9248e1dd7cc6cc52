import { z } from "zod";
import { openApiDocument } from "./openapi-document.ts";

export type Endpoint = "validate" | "lookup";

/** Null if the response matches the published document, which is generated from the contract; otherwise where it does not. */
export function contractViolation(endpoint: Endpoint, status: number, body: unknown): string | null {
  const name = `${endpoint} ${status}`;
  const schema = schemas.get(name) ?? publishedSchema(endpoint, status);
  if (schema === null) return `${name} is missing from the OpenAPI document`;
  schemas.set(name, schema);
  const { error } = schema.safeParse(body);
  return error === undefined ? null : `${name}: ${z.prettifyError(error)}`;
}

const schemas = new Map<string, z.ZodType>();

const content = z.object({ "application/json": z.object({ schema: z.object({ $ref: z.string() }) }) });
const operation = z.object({ responses: z.record(z.string(), z.object({ content })) });
const jsonSchema = z.custom<Parameters<typeof z.fromJSONSchema>[0]>((value) => typeof value === "object");

function publishedSchema(endpoint: Endpoint, status: number): z.ZodType | null {
  const { paths, components } = openApiDocument();
  const described =
    endpoint === "validate" ? paths["/api/v1/validate"]?.post : paths["/api/v1/license/{key}"]?.get;
  const { $ref } = operation.parse(described).responses[status]?.content["application/json"].schema ?? {};
  const schema = components.schemas?.[$ref?.replace("#/components/schemas/", "") ?? ""];
  return schema === undefined ? null : z.fromJSONSchema(jsonSchema.parse(schema));
}
