import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openApiDocument } from "@countersign/contract/openapi";
import { z } from "zod";
import { databases } from "../support/databases.ts";
import { openScene, type Scene } from "../support/scene.ts";

setDefaultTimeout(60_000);

const reference = z.strictObject({ $ref: z.string().startsWith("#/components/") });
const json = z.strictObject({ "application/json": z.strictObject({ schema: reference }) });
const response = z.strictObject({
  description: z.string().min(1),
  headers: z.record(z.string(), reference),
  content: json,
});
const parameter = z.strictObject({
  name: z.string().min(1),
  in: z.enum(["query", "header", "path", "cookie"]),
  required: z.boolean(),
  description: z.string().min(1),
  schema: z.looseObject({ type: z.string() }),
});
const operation = z.strictObject({
  operationId: z.string().min(1),
  summary: z.string().min(1),
  description: z.string().min(1),
  parameters: z.array(parameter),
  requestBody: z.strictObject({ required: z.boolean(), content: json }).optional(),
  responses: z.record(z.string().regex(/^[1-5]\d\d$/), response),
});

/** As much of the OpenAPI 3.1 meta-schema as the document uses, and nothing that it does not know. */
const openApi = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.looseObject({ title: z.string().min(1), version: z.string().min(1) }),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  paths: z.record(
    z.string().startsWith("/"),
    z.partialRecord(z.enum(["get", "post", "put", "patch", "delete"]), operation),
  ),
  components: z.strictObject({
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.literal("http"), scheme: z.string() })),
    schemas: z.record(z.string().regex(/^[A-Za-z0-9._-]+$/), z.looseObject({ type: z.literal("object") })),
    headers: z.record(z.string(), z.looseObject({ description: z.string(), schema: z.looseObject({}) })),
  }),
});

describe("the OpenAPI document", () => {
  let scene: Scene;
  let served: unknown;
  beforeAll(async () => {
    const [sqlite] = databases;
    if (sqlite === undefined) throw new Error("there is no database");
    scene = await openScene(sqlite.make);
    const answer = await fetch(`${scene.server.url}/openapi.json`);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    served = await answer.json();
  });
  afterAll(() => scene.close());

  test("the served document is the one that every answer in these tests is held against", () => {
    expect(served).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  test("it is OpenAPI 3.1 in shape", () => {
    expect(z.prettifyError(openApi.safeParse(served).error ?? new z.ZodError([]))).toBe("");
  });

  test("every reference leads somewhere", () => {
    const { components } = openApi.parse(served);
    const references = [...JSON.stringify(served).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    const all = JSON.stringify(served).match(/"\$ref"/g) ?? [];
    expect(all.length).toBe(references.length);
    for (const [, kind = "", name = ""] of references) {
      const named = z.record(z.string(), z.record(z.string(), z.unknown())).parse(components)[kind];
      expect(named).toHaveProperty(name);
    }
  });

  test("every schema is used and every scheme that security asks for is there", () => {
    const { components, security } = openApi.parse(served);
    for (const name of Object.keys(components.schemas)) {
      expect(JSON.stringify(served)).toContain(`"#/components/schemas/${name}"`);
    }
    for (const scheme of security.flatMap((wanted) => Object.keys(wanted))) {
      expect(components.securitySchemes).toHaveProperty(scheme);
    }
  });

  test("every operation that it names is served, and each path parameter is described", async () => {
    for (const [path, operations] of Object.entries(openApi.parse(served).paths)) {
      for (const [method, described] of Object.entries(operations)) {
        const url = scene.server.url + path.replace(/\{\w+\}/g, "x");
        const answer = await fetch(url, { method: method.toUpperCase() });
        expect(answer.status).toBe(401);
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
        const named = described.parameters.filter((one) => one.in === "path").map((one) => one.name);
        expect(named).toEqual(inPath);
      }
    }
  });
});
