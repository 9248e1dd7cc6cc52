import * as shapes from "../public/public-api.ts";
import { namedSchemas } from "./schemas.ts";

/** The OpenAPI description of the two endpoints for applications. */
export const publicTag = {
  name: "Public API",
  description: "The endpoints that your application calls, with its product's API key.",
};

export function publicPaths() {
  return { "/api/v1/validate": { post: validate() }, "/api/v1/license/{key}": { get: lookup() } };
}

export function publicComponents() {
  return {
    schemas: namedSchemas(Object.values(shapes)),
    headers: {
      RequestId: header("Identifies the request in the server's request log."),
      RateLimitPolicy: header('The daily limit, as in "daily";q=10000;w=86400. Absent if there is no limit.'),
      RateLimit: header(
        'The remaining requests of the day, as in "daily";r=9999;t=3600. Absent if there is no limit.',
      ),
      RetryAfter: header("The number of seconds to wait before trying again."),
      Problem: header("What is wrong with the body, if it could not be processed."),
      Authenticate: header("Always Bearer."),
      Sandbox: header("true if the request was sent with a test API key. Absent otherwise."),
    },
  };
}

function validate(): object {
  return {
    operationId: "validate",
    tags: [publicTag.name],
    summary: "Validate a license",
    security: [{ productApiKey: [] }],
    description:
      "Every validation result is a 200. Grant access only if `valid` is true. With a product's test API key (cskt_…), " +
      "fixed license keys give every result, and nothing is counted or registered.",
    parameters: [
      {
        name: "X-Countersign-Nonce",
        in: "header",
        required: false,
        description: "16 to 64 URL-safe characters, which become part of the signature.",
        schema: { type: "string", pattern: "^[A-Za-z0-9_-]{16,64}$" },
      },
    ],
    requestBody: { required: true, content: json("ValidateRequest") },
    responses: {
      200: answer("The verdict.", "ValidateResponse", [
        "RequestId",
        "RateLimitPolicy",
        "RateLimit",
        "Problem",
      ]),
      ...sharedErrors(),
      408: answer("The body did not arrive in time.", "HttpError", ["RequestId"]),
      413: answer("The body is larger than 16 KiB.", "HttpError", ["RequestId"]),
    },
  };
}

function lookup(): object {
  return {
    operationId: "lookUpLicense",
    tags: [publicTag.name],
    summary: "Look up a license by its key",
    security: [{ productApiKey: [] }],
    description:
      "Changes nothing. Counts towards the daily limit, even if there is no such license. With a product's test API key " +
      "(cskt_…), fixed license keys are found, and nothing is counted.",
    parameters: [
      {
        name: "key",
        in: "path",
        required: true,
        schema: { type: "string" },
        description: "The license key.",
      },
    ],
    responses: {
      200: answer("The license.", "License", ["RequestId", "RateLimitPolicy", "RateLimit"]),
      ...sharedErrors(),
      404: answer("The product has no license with this key.", "HttpError", [
        "RequestId",
        "RateLimitPolicy",
        "RateLimit",
      ]),
    },
  };
}

function sharedErrors(): object {
  return {
    401: answer("The API key is missing or wrong.", "UnauthorizedError", ["RequestId", "Authenticate"]),
    429: answer("The daily limit is used up.", "RateLimitError", [
      "RequestId",
      "RateLimitPolicy",
      "RateLimit",
      "RetryAfter",
    ]),
    503: answer("The database is not available right now.", "UnavailableError", ["RequestId", "RetryAfter"]),
  };
}

function answer(description: string, schema: string, headers: readonly string[]): object {
  const names: Record<string, string> = {
    RequestId: "X-Request-Id",
    RateLimitPolicy: "RateLimit-Policy",
    RateLimit: "RateLimit",
    RetryAfter: "Retry-After",
    Problem: "X-Countersign-Problem",
    Authenticate: "WWW-Authenticate",
    Sandbox: "X-Countersign-Sandbox",
  };
  const references = [...headers, "Sandbox"].map((name) => [
    names[name] ?? name,
    { $ref: `#/components/headers/${name}` },
  ]);
  return { description, headers: Object.fromEntries(references), content: json(schema) };
}

function json(schema: string): object {
  return { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } };
}

function header(description: string): object {
  return { description, schema: { type: "string" } };
}
