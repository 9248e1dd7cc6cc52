import { openApiDocument } from "@countersign/contract/openapi";
import * as shapes from "@countersign/contract/public-api";
import { z } from "zod";

export type Endpoint = "validate" | "lookup";

/** The schema of a response, twice: from the source code and from the published document. */
const answers: Record<Endpoint, Readonly<Record<number, z.ZodType>>> = {
  validate: {
    200: shapes.validateResponse,
    401: shapes.unauthorizedError,
    408: shapes.httpError,
    413: shapes.httpError,
    429: shapes.rateLimitError,
    503: shapes.unavailableError,
  },
  lookup: {
    200: shapes.licenseRecord,
    401: shapes.unauthorizedError,
    404: shapes.httpError,
    429: shapes.rateLimitError,
    503: shapes.unavailableError,
  },
};

/** Null if the response matches the contract, otherwise where it does not. */
export function contractViolation(endpoint: Endpoint, status: number, body: unknown): string | null {
  const shape = answers[endpoint][status];
  if (shape === undefined) return `${endpoint} never answers ${status}`;
  const written = shape.safeParse(body);
  if (!written.success) return `${endpoint} ${status}: ${z.prettifyError(written.error)}`;
  const published = publishedSchema(endpoint, status);
  if (published === null) return `${endpoint} ${status} is missing from the OpenAPI document`;
  const recorded = published.safeParse(body);
  return recorded.success
    ? null
    : `${endpoint} ${status} against OpenAPI: ${z.prettifyError(recorded.error)}`;
}

const operation = z.object({
  responses: z.record(
    z.string(),
    z.object({
      content: z.object({ "application/json": z.object({ schema: z.object({ $ref: z.string() }) }) }),
    }),
  ),
});
const jsonSchema = z.custom<Parameters<typeof z.fromJSONSchema>[0]>((value) => typeof value === "object");
const published = new Map<string, z.ZodType | null>();
let document: ReturnType<typeof openApiDocument> | undefined;

function publishedSchema(endpoint: Endpoint, status: number): z.ZodType | null {
  const name = `${endpoint} ${status}`;
  const known = published.get(name);
  if (known !== undefined) return known;
  const schema = readPublished(endpoint, status);
  published.set(name, schema);
  return schema;
}

function readPublished(endpoint: Endpoint, status: number): z.ZodType | null {
  // Generating it takes a second.
  document ??= openApiDocument();
  const { paths, components } = document;
  const described =
    endpoint === "validate" ? paths["/api/v1/validate"]?.post : paths["/api/v1/license/{key}"]?.get;
  const answer = operation.parse(described).responses[String(status)];
  const reference = answer?.content["application/json"].schema.$ref;
  const name = reference?.replace("#/components/schemas/", "") ?? "";
  const schema = components.schemas?.[name];
  return schema === undefined ? null : z.fromJSONSchema(jsonSchema.parse(schema));
}
