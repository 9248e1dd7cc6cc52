import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openApiDocument } from "@countersign/contract/openapi";
import { z } from "zod";
import { sqlite } from "../support/databases.ts";
import { openPublicApiFixture, type PublicApiFixture } from "../support/public-api-fixture.ts";

setDefaultTimeout(60_000);

const reference = z.strictObject({ $ref: z.string().startsWith("#/components/") });
const schema = z.looseObject({}).refine((value) => !("$schema" in value) && !("$defs" in value));
const content = z.record(
  z.string().regex(/^[\w.+-]+\/(?:[\w.+-]+|\*)$/),
  z.strictObject({ schema: z.union([reference, schema]), example: z.unknown().optional() }),
);
const response = z.strictObject({
  description: z.string().min(1),
  headers: z.record(z.string(), reference),
  content: content.optional(),
});
const parameter = z.strictObject({
  name: z.string().min(1),
  in: z.enum(["query", "header", "path", "cookie"]),
  required: z.boolean(),
  description: z.string().min(1),
  schema,
});
const security = z.array(z.record(z.string(), z.array(z.string())));
const operation = z.strictObject({
  operationId: z.string().regex(/^[a-z][A-Za-z0-9]+$/),
  tags: z.array(z.string()).length(1),
  summary: z.string().min(1),
  description: z.string().min(1),
  security,
  parameters: z.array(z.union([reference, parameter])),
  requestBody: z
    .strictObject({ description: z.string().optional(), required: z.boolean(), content })
    .optional(),
  responses: z.record(z.string().regex(/^[1-5]\d\d$/), z.union([reference, response])),
});
const scheme = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("http"), scheme: z.string(), description: z.string() }),
  z.strictObject({
    type: z.literal("apiKey"),
    in: z.enum(["query", "header", "cookie"]),
    name: z.string(),
    description: z.string(),
  }),
]);
const componentName = z.string().regex(/^[A-Za-z0-9._-]+$/);

/** The part of the OpenAPI 3.1 meta-schema that the document uses. Unknown members are rejected. */
const openApi = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.looseObject({ title: z.string().min(1), version: z.string().min(1) }),
  security,
  tags: z.array(z.strictObject({ name: z.string().min(1), description: z.string().optional() })),
  paths: z.record(
    z.string().startsWith("/"),
    z.partialRecord(z.enum(["get", "post", "put", "patch", "delete"]), operation),
  ),
  webhooks: z.record(
    z.string(),
    z.strictObject({
      post: z.strictObject({
        operationId: z.string().regex(/^on[A-Z][A-Za-z]+$/),
        tags: z.array(z.string()).length(1),
        summary: z.string().min(1),
        parameters: z.array(parameter),
        requestBody: z.strictObject({ description: z.string().optional(), required: z.boolean(), content }),
        responses: z.record(z.string(), z.strictObject({ description: z.string().min(1) })),
      }),
    }),
  ),
  components: z.strictObject({
    securitySchemes: z.record(componentName, scheme),
    schemas: z.record(componentName, schema),
    headers: z.record(componentName, z.strictObject({ description: z.string(), schema })),
    parameters: z.record(componentName, parameter),
  }),
});

describe("the OpenAPI document", () => {
  let fixture: PublicApiFixture;
  let served: unknown;
  beforeAll(async () => {
    fixture = await openPublicApiFixture(sqlite.make);
    const answer = await fetch(`${fixture.server.url}/openapi.json`);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    served = await answer.json();
  });
  afterAll(() => fixture.close());

  let parsed: z.output<typeof openApi> | undefined;
  const document = () => {
    parsed ??= openApi.parse(served);
    return parsed;
  };
  const operations = () =>
    Object.entries(document().paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({ path, method, described })),
    );

  test("the served document is the one that these tests check every response against", () => {
    expect(served).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  test("the document is valid OpenAPI 3.1", () => {
    expect(z.prettifyError(openApi.safeParse(served).error ?? new z.ZodError([]))).toBe("");
  });

  test("every reference resolves", () => {
    const { components } = document();
    const references = [...JSON.stringify(served).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    const all = JSON.stringify(served).match(/"\$ref"/g) ?? [];
    expect(all.length).toBe(references.length);
    const named = z.record(z.string(), z.record(z.string(), z.unknown())).parse(components);
    const missing = references.filter(([, kind = "", name = ""]) => named[kind]?.[name] === undefined);
    expect(missing).toEqual([]);
  });

  test("every component is used, and every scheme and tag of an operation is defined", () => {
    const { components, tags, ...rest } = document();
    const text = JSON.stringify(served);
    for (const [kind, named] of Object.entries(components)) {
      if (kind === "securitySchemes") continue;
      const unused = Object.keys(named).filter((name) => !text.includes(`"#/components/${kind}/${name}"`));
      expect(unused).toEqual([]);
    }
    const wanted = [...rest.security, ...operations().flatMap(({ described }) => described.security)];
    for (const name of wanted.flatMap((one) => Object.keys(one)))
      expect(components.securitySchemes).toHaveProperty(name);
    const used = new Set(operations().flatMap(({ described }) => described.tags));
    expect(used).toEqual(new Set(tags.map((tag) => tag.name)));
  });

  test("no two operations share an ID", () => {
    const ids = operations().map(({ described }) => described.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("the path parameters of an operation are exactly those in braces", () => {
    for (const { path, described } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
      const named = described.parameters.flatMap((one) =>
        "in" in one && one.in === "path" ? [one.name] : [],
      );
      expect(named).toEqual(inPath);
      const all = described.parameters.map((one) => ("$ref" in one ? one.$ref : `${one.in} ${one.name}`));
      expect(new Set(all).size).toBe(all.length);
    }
  });

  test("every operation is served, and requires authentication where the document says so", async () => {
    for (const { path, method, described } of operations()) {
      const url = fixture.server.url + path.replace(/\{\w+\}/g, "x");
      const answer = await fetch(url, { method: method.toUpperCase(), redirect: "manual" });
      const text = await answer.text();
      if (described.security.length > 0) expect([path, method, answer.status]).toEqual([path, method, 401]);
      else expect(`${answer.status} ${text}`).not.toMatch(/^405|nothing at this address/);
    }
  });
});
