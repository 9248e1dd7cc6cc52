import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { openApiDocument } from "../support/openapi-document.ts";
import { redoclySettings, runLinter, whyNoLinters } from "../support/openapi-linters.ts";
import { openPublicApiFixture } from "../support/public-api-fixture.ts";
import { skipWithReason } from "../support/skip.ts";
import { testsOn } from "../support/tests-on.ts";
import { contractViolation } from "../support/wire-schemas.ts";

setDefaultTimeout(120_000);

const text = z.string().min(1);
const reference = z.strictObject({
  $ref: z.string().startsWith("#/components/"),
  description: z.string().optional(),
});
const schema = z.looseObject({}).refine((value) => !("$schema" in value) && !("$defs" in value));
const content = z.record(
  z.string().regex(/^[\w.+-]+\/(?:[\w.+-]+|\*)$/),
  z.strictObject({ schema: z.union([reference, schema]), example: z.unknown().optional() }),
);
const response = z.strictObject({
  description: text,
  headers: z.record(text, reference),
  content: content.optional(),
});
const parameter = z.strictObject({
  name: text,
  in: z.enum(["query", "header", "path", "cookie"]),
  required: z.boolean(),
  description: text,
  schema,
});
const requestBody = z.strictObject({ description: text.optional(), required: z.boolean(), content });
const security = z.array(z.record(text, z.array(text)));
const shared = { tags: z.array(text).length(1), summary: text };
const operation = z.strictObject({
  ...shared,
  operationId: z.string().regex(/^[a-z][A-Za-z0-9]+$/),
  description: text,
  security,
  parameters: z.array(z.union([reference, parameter])),
  requestBody: requestBody.optional(),
  responses: z.record(z.string().regex(/^[1-5]\d\d$/), z.union([reference, response])),
});
const eventOperation = z.strictObject({
  ...shared,
  operationId: z.string().regex(/^on[A-Z][A-Za-z]+$/),
  parameters: z.array(parameter),
  requestBody,
  responses: z.record(text, z.strictObject({ description: text })),
});
const schemeIn = z.enum(["query", "header", "cookie"]);
const scheme = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("http"), scheme: text, description: text }),
  z.strictObject({ type: z.literal("apiKey"), in: schemeIn, name: text, description: text }),
]);
const named = <T extends z.ZodType>(component: T) =>
  z.record(z.string().regex(/^[A-Za-z0-9._-]+$/), component);

/** The part of the OpenAPI 3.1 meta-schema that the document uses. Unknown members are rejected. */
const openApi = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.looseObject({ title: text, version: text }),
  servers: z.array(z.strictObject({ url: text, description: text })).min(1),
  security,
  tags: z.array(z.strictObject({ name: text, description: z.string().optional() })),
  paths: z.record(
    z.string().startsWith("/"),
    z.partialRecord(z.enum(["get", "post", "put", "patch", "delete"]), operation),
  ),
  webhooks: z.record(text, z.strictObject({ post: eventOperation })),
  components: z.strictObject({
    securitySchemes: named(scheme),
    schemas: named(schema),
    headers: named(z.strictObject({ description: text, schema })),
    parameters: named(parameter).optional(),
    responses: named(response).optional(),
  }),
});

/** A server, and the documents that it serves. */
async function openDocument(make: Parameters<typeof openPublicApiFixture>[0]) {
  const fixture = await openPublicApiFixture(make);
  const [served, publicOnly] = await Promise.all(
    documents.map(async (path): Promise<unknown> => {
      const answer = await fetch(fixture.url + path);
      expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
      return answer.json();
    }),
  );
  return { ...fixture, served, publicOnly, parsed: openApi.safeParse(served) };
}

const documents = ["/openapi.json", "/openapi/public.json"];

testsOn("sqlite", "OpenAPI", openDocument, (fixture) => {
  const document = () => openApi.parse(fixture.served);

  test("the document is valid OpenAPI 3.1, and the one that these tests check every response against", () => {
    expect(fixture.served).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
    expect(z.prettifyError(fixture.parsed.error ?? new z.ZodError([]))).toBe("");
  });

  test("a verdict or a license record with a missing, unknown or wrong member is not as published", async () => {
    const { key } = await fixture.org.license();
    const [verdict, record] = [
      await fixture.api.validate({ license_key: key }),
      await fixture.api.lookup(key),
    ];
    for (const [endpoint, { body }] of [["validate", verdict] as const, ["lookup", record] as const]) {
      expect(contractViolation(endpoint, 200, body)).toBeNull();
      for (const name of Object.keys(body)) {
        const { [name]: _, ...rest } = body;
        expect([name, contractViolation(endpoint, 200, rest)]).not.toEqual([name, null]);
        expect([name, contractViolation(endpoint, 200, { ...body, [name]: [] })]).not.toEqual([name, null]);
      }
      expect(contractViolation(endpoint, 200, { ...body, secret: 1 })).not.toBeNull();
    }
  });

  test("the document of the public API has just the two calls of applications, as the whole document has them", () => {
    const { paths, components } = openApi.parse(fixture.publicOnly);
    expect(Object.keys(paths)).toEqual(["/api/v1/validate", "/api/v1/license/{key}"]);
    const whole = document();
    for (const [path, described] of Object.entries(paths)) expect(described).toEqual(whole.paths[path] ?? {});
    for (const [name, shape] of Object.entries(components.schemas))
      expect(shape).toEqual(whole.components.schemas[name] ?? {});
    expect(JSON.stringify(fixture.publicOnly).length).toBeLessThan(30_000);
  });

  test("problems are shared between routes: the document has at most 850 kB", () => {
    const { paths, components } = document();
    const refusals = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ responses }) => Object.entries(responses))
      .filter(([status, given]) => status >= "400" && !("$ref" in given));
    // The two calls of applications have shapes of their own.
    expect(refusals.filter(([, given]) => JSON.stringify(given).includes("problem+json"))).toEqual([]);
    expect(Object.keys(components.responses ?? {})).toContain("BodyTooLarge");
    expect(JSON.stringify(fixture.served).length).toBeLessThan(850_000);
  });

  const missing = whyNoLinters();
  if (missing !== null) skipWithReason("the linters of the OpenAPI documents", missing);
  else
    test("Redocly finds nothing in the OpenAPI documents, and types generated from them compile", () => {
      const folder = mkdtempSync(join(tmpdir(), "countersign-openapi-"));
      const files = ["whole", "public"];
      for (const [index, described] of [fixture.served, fixture.publicOnly].entries())
        writeFileSync(join(folder, `${files[index]}.json`), JSON.stringify(described));
      const json = files.map((name) => `${name}.json`);
      const linted = runLinter("redocly", ["lint", ...json, "--config", redoclySettings], folder);
      expect(linted).toMatchObject({ status: 0 });
      expect(linted.printed).not.toMatch(/\b[1-9]\d* (?:error|warning)/);
      for (const name of files)
        expect(runLinter("openapi-typescript", [`${name}.json`, "-o", `${name}.ts`], folder).status).toBe(0);
      const compilerOptions = { strict: true, noEmit: true, skipLibCheck: true, types: [] };
      const settings = { compilerOptions, files: files.map((name) => `${name}.ts`) };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
      expect(runLinter("tsc", ["-p", "."], folder)).toEqual({ status: 0, printed: "" });
      rmSync(folder, { recursive: true });
    });

  test.each(["served", "publicOnly"] as const)(
    "the OpenAPI document (%s) refers only to existing components, and uses each component, scheme and tag",
    (which) => {
      const { components, tags, security, paths } = openApi.parse(fixture[which]);
      const text = JSON.stringify(fixture[which]);
      const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+\/\w+)"/g)].map(([, name]) => name);
      expect(references.length).toBeGreaterThan(10);
      expect(text.match(/"\$ref"/g)).toHaveLength(references.length);
      const { securitySchemes, ...referenced } = components;
      const names = Object.entries(referenced).flatMap(([kind, named]) =>
        Object.keys(named ?? {}).map((name) => `${kind}/${name}`),
      );
      expect(new Set<unknown>(references)).toEqual(new Set(names));
      const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
      const required = [security, ...operations.map((one) => one.security)].flat();
      for (const name of required.flatMap((one) => Object.keys(one)))
        expect(securitySchemes).toHaveProperty(name);
      expect(new Set(operations.flatMap((one) => one.tags))).toEqual(new Set(tags.map(({ name }) => name)));
    },
  );

  test("the OpenAPI document names each operation differently, with exactly the path parameters in braces", () => {
    const ids: string[] = [];
    for (const [path, methods] of Object.entries(document().paths))
      for (const { operationId, parameters } of Object.values(methods)) {
        ids.push(operationId);
        const all = parameters.map((one) => ("$ref" in one ? one.$ref : `${one.in} ${one.name}`));
        const inPath = all.filter((name) => name.startsWith("path "));
        expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `path ${name}`));
        expect(new Set(all).size).toBe(all.length);
      }
    expect(new Set(ids).size).toBe(ids.length);
  });
});
