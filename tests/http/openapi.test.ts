import { expect, setDefaultTimeout, test } from "bun:test";
import { openApiDocument } from "@countersign/contract/openapi";
import { z } from "zod";
import { openPublicApiFixture } from "../support/public-api-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

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

/** A server, and the document that it serves. */
async function openDocument(make: Parameters<typeof openPublicApiFixture>[0]) {
  const fixture = await openPublicApiFixture(make);
  const answer = await fetch(`${fixture.url}/openapi.json`);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  return { ...fixture, served: (await answer.json()) as unknown };
}

testsOn("sqlite", "the OpenAPI document", openDocument, (fixture) => {
  let parsed: z.output<typeof openApi> | undefined;
  const document = () => {
    parsed ??= openApi.parse(fixture.served);
    return parsed;
  };
  const operations = () =>
    Object.entries(document().paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({ path, method, described })),
    );

  test("is the one that these tests check every response against", () => {
    expect(fixture.served).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  test("is valid OpenAPI 3.1", () => {
    expect(z.prettifyError(openApi.safeParse(fixture.served).error ?? new z.ZodError([]))).toBe("");
  });

  test("refers only to components that exist, and uses each component, scheme and tag that it defines", () => {
    const { components, tags, security, paths } = document();
    const text = JSON.stringify(fixture.served);
    const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+\/\w+)"/g)].map(([, name]) => name);
    expect(references.length).toBeGreaterThan(10);
    expect(text.match(/"\$ref"/g)).toHaveLength(references.length);
    const { securitySchemes, ...referenced } = components;
    const names = Object.entries(referenced).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `${kind}/${name}`),
    );
    expect(new Set<unknown>(references)).toEqual(new Set(names));
    const described = Object.values(paths).flatMap((methods) => Object.values(methods));
    const required = [security, ...described.map((one) => one.security)].flat();
    for (const name of required.flatMap((one) => Object.keys(one)))
      expect(securitySchemes).toHaveProperty(name);
    expect(new Set(described.flatMap((one) => one.tags))).toEqual(new Set(tags.map(({ name }) => name)));
  });

  test("names each operation differently, with exactly the path parameters in braces", () => {
    const ids = operations().map(({ described }) => described.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, described } of operations()) {
      const named = described.parameters.flatMap((one) =>
        "in" in one && one.in === "path" ? [one.name] : [],
      );
      expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ""));
      const all = described.parameters.map((one) => ("$ref" in one ? one.$ref : `${one.in} ${one.name}`));
      expect(new Set(all).size).toBe(all.length);
    }
  });
});
