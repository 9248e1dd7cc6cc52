import fc from "fast-check";
import type { z } from "zod";

type Schema = z.core.JSONSchema.BaseSchema;

/** Texts that are valid for some fields, and some that are valid for none. */
const texts = [
  ["Ada", "ada@example.com", "csk_ZZZZZZZZ", "00000000-0000-0000-0000-000000000000", "{{license.key}}{{"],
  ["2031-01-02T03:04:05.678Z", "9999-12-31T23:59:59.999+14:00", "-271821-04-20T00:00:00Z", "2031-02-30"],
  ["1.2.3", "v1.2.x-rc.1+b", "99999999999999999999.0"],
  ["203.0.113.7", "2001:db8::/32", "::ffff:1.2.3.4", "10.0.0.0/33"],
  ["https://hooks.example.invalid/x", "http://[::1]:99999/", "http://x y/"],
  ["'; drop table licenses; --", "__proto__", "constructor", "null", "%00", "x".repeat(5_000)],
  ["", " ", "\0", "a\0b", "\ud800", "\udc00x", "\u202e"],
].flat();

export const anyText = fc.oneof(fc.constantFrom(...texts), fc.string({ unit: "binary", maxLength: 60 }));

/** A number that no double can represent. */
const hugeNumber = "HUGE-NUMBER";

/** A value that hardly any field accepts. */
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  anyText,
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null]),
  fc.constantFrom<unknown>(0, -0, -1, 1.5, 1e308, 2 ** 53, -(2 ** 63), hugeNumber),
  fc.constantFrom<unknown>(
    JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":1},"toString":1}'),
    { "a\0b": 1, "\ud800": 2 },
    Array(500).fill("x"),
    Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, index])),
    nested(38),
    nested(45),
    nested(5_000),
  ),
  fc.double(),
  fc.jsonValue({ maxDepth: 4 }),
);

/** Placeholder for the ID of a resource of the path's organization. */
export const realId = /REAL-(\w+?)-ID/g;

/** Texts that fields with these names usually accept. */
const usual: readonly [name: RegExp, text: fc.Arbitrary<string>][] = [
  [/email/i, fc.nat(500).map((number) => `ada${number}@example.com`)],
  [/_at$/, fc.constant("2031-01-02T03:04:05.678Z")],
  [/^(name|customer_name)$/, fc.nat(500).map((number) => `Name ${number}`)],
  [/^url$/, fc.constant("https://hooks.example.invalid/x")],
  [/URL$/, fc.constant("/account")],
  [/^(ip|cidr)$/, fc.nat(250).map((number) => `203.0.113.${number}`)],
  [/version/, fc.nat(20).map((number) => `1.${number}.3`)],
  [/password/i, fc.constantFrom("a good password", "another good password")],
  [/discord_id$/, fc.constant("80351110224678912")],
  [/slug/, fc.nat(500).map((number) => `slug-${number}`)],
  [/^code$/, fc.constant("123456")],
];

function usualText(name: string): fc.Arbitrary<string> | null {
  const id = /^(?:(\w+)_)?ids?$/.exec(name);
  if (id !== null && !name.includes("discord")) return fc.constant(`REAL-${id[1] ?? "license"}-ID`);
  return usual.find(([shape]) => shape.test(name))?.[1] ?? null;
}

/** A valid or nearly valid value for the schema. The name of the member selects its text. */
function fitting(schema: Schema, root: Schema = schema, name = ""): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return fitting(resolved(schema, root), root, name);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as unknown[]));
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (choices.length > 0) return fc.oneof(...choices.map((one) => fitting(one, root, name)));
  switch (schema.type) {
    case "string":
      return fc.oneof(
        { weight: 12, arbitrary: usualText(name) ?? fc.constantFrom("Ada", "x", "1.2.3") },
        { weight: 1, arbitrary: anyText },
      );
    case "integer":
    case "number": {
      const min = Math.max(Number(schema.minimum ?? -5), -5);
      // Small numbers, because this tests what the server accepts, not its capacity.
      return fc.integer({ min, max: Math.max(min, Math.min(Number(schema.maximum ?? 20), 20)) });
    }
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array": {
      const items = Array.isArray(schema.items) ? schema.items[0] : schema.items;
      return fc.array(typeof items === "object" ? fitting(items, root, name) : oddValue, { maxLength: 3 });
    }
    case "object":
      return fittingObject(schema, root);
    default:
      return oddValue;
  }
}

function fittingObject(schema: Schema, root: Schema): fc.Arbitrary<unknown> {
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0) return fc.constantFrom({}, { a: 1 }, { a: { b: ["{{license.key}}"] } });
  const values = members.map(([name, member]) => {
    const value = typeof member === "object" ? fitting(member, root, name) : oddValue;
    return value.map((one) => [name, one] as const);
  });
  const required = schema.required ?? [];
  const optional = members.map(([name]) => name).filter((name) => !required.includes(name));
  // Only a few optional members, because each one more can make the body invalid.
  return fc
    .tuple(fc.tuple(...values), fc.subarray(optional, { maxLength: Math.min(3, optional.length) }))
    .map(([all, some]) => all.filter(([name]) => required.includes(name) || some.includes(name)))
    .map((kept) => Object.fromEntries(kept));
}

/** A valid body, a body with one invalid member, or an invalid body. */
export function bodyOf(schema: Schema): fc.Arbitrary<Buffer> {
  const names = fc.constantFrom(...memberNames(schema), "__proto__", "unknown");
  const mutated = fc
    .tuple(fitting(schema), names, oddValue)
    .map(([body, name, value]) => ({ ...(body as object), [name]: value }));
  const json = fc.oneof(
    { weight: 5, arbitrary: fitting(schema) },
    { weight: 5, arbitrary: mutated },
    { weight: 1, arbitrary: oddValue },
  );
  const broken = ["", "{", "[[[[", '{"a":1,"a":2}', "\ufeff{}", "nul", '"\\ud800"', "[1e999999]", "\0"];
  return fc.oneof(
    { weight: 12, arbitrary: json.map(jsonBytes) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constantFrom(...broken).map((text) => Buffer.from(text)) },
  );
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from((JSON.stringify(value) ?? "").replaceAll(`"${hugeNumber}"`, "1e999999"));
}

/** The members of an object schema, or of all its variants. */
export function memberNames(schema: Schema, root: Schema = schema): string[] {
  const { properties, anyOf = [], oneOf = [], allOf = [] } = resolved(schema, root);
  const inside = [...anyOf, ...oneOf, ...allOf].flatMap((one) => memberNames(one, root));
  return [...new Set([...Object.keys(properties ?? {}), ...inside])];
}

function resolved(schema: Schema, root: Schema): Schema {
  return schema.$ref === undefined ? schema : (root.$defs?.[schema.$ref.split("/").at(-1) ?? ""] ?? {});
}

const headerText = fc.string({
  unit: fc
    .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0xa0, max: 0xff }))
    .map((code) => String.fromCharCode(code)),
  maxLength: 60,
});

const headers: Readonly<Record<string, readonly string[]>> = {
  host: ["[", "a b", "%", "x:99999", "x/y", "", "localhost"],
  "content-type": ["application/json; charset=utf-16", "text/csv", "application/x-ndjson", ";", ""],
  "idempotency-key": ["key", "x".repeat(255), "x".repeat(256), "a b", ""],
  "if-match": ['"2031-01-02T03:04:05.678Z"', "*", 'W/"x", "y"', '"', ""],
  authorization: ["Bearer", "Bearer ", "Basic YTpi", "Bearer cst_x", "Bearer a b", ""],
  cookie: ["countersign.session_token=%", "=;;=", `a=${"b".repeat(3_000)}`, "countersign.passkey=x.y"],
  origin: ["null", "https://evil.example", "http://[", ""],
  "x-forwarded-for": ["1.2.3.4, ::1", ",,,", "999.1.1.1", "x".repeat(3_000)],
  "accept-language": ["de;q=x,*;q=", "x".repeat(500), "de-DE-1996, en;q=0.5"],
  "user-agent": ["", "x".repeat(3_000)],
  "accept-encoding": ["gzip;q=0, br;q=x", "*"],
  "x-countersign-nonce": ["short", "x".repeat(64)],
  range: ["bytes=0-1"],
  te: ["trailers"],
};

/** At most two unusual headers, because one that is refused hides the effect of the others. */
export const oddHeaders: fc.Arbitrary<Readonly<Record<string, string>>> = fc
  .subarray(Object.keys(headers), { maxLength: 2 })
  .chain((names) =>
    fc.record(
      Object.fromEntries(
        names.map((name) => [name, fc.oneof(fc.constantFrom(...(headers[name] ?? [])), headerText)]),
      ),
    ),
  );

export const oddSegment = fc.constantFrom(
  ...["%00", "a%00b", "%ED%A0%80", "%F0%9F%92%A9", "..%2F..", "%", "%zz", "%20"],
  ...["\u00e9", "__proto__", "constructor", "x".repeat(3_000)],
);

function nested(depth: number): unknown {
  let value: unknown = "\0";
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
