import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import type { JsonObject, JsonValue, PlaceholderValues } from "./template.ts";
import { parseCustomResponse, placeholderNames, renderCustom } from "./template.ts";

const values: PlaceholderValues = {
  "customer.email": "ada@example.com",
  "customer.name": "{{license.key}} $& $1",
  "customer.discord_id": null,
  "license.id": "lic_1",
  "license.key": "ABCD-EFGH-JKMN-PQRS",
  "license.expires_at": null,
  "license.max_ips": 5,
  "license.ip_count": 0,
  "product.id": "prod_1",
  "product.name": "Editor",
  "organization.id": "org_1",
  "organization.name": "Acme",
  "request.version": "2.1.0",
  "request.ip": "203.0.113.9",
  "request.device_id": "",
  "request.time": "2026-03-01T12:00:00.000Z",
};

describe("merging", () => {
  // The object rows of RFC 7396, appendix A, then the service's own edges.
  test.each<[template: JsonObject | null, override: JsonObject | null, merged: JsonObject | null]>([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, null],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 1 }, { a: { b: 2, c: null } }, { a: { b: 2 } }],
    [{ a: 1 }, null, { a: 1 }],
    [null, { a: 1, b: null }, { a: 1 }],
    [{ e: null }, null, { e: null }],
    [null, null, null],
    [null, {}, null],
    [null, { a: null }, null],
  ])("%j merged with %j gives %j", (template, override, merged) => {
    expect(renderCustom(template, override, values)).toEqual(merged);
  });

  test("a null of an override is never in the response, at any depth", () => {
    const nested = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, fc.constantFrom(null, 1, "a"), tie("object")),
      object: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3 }),
    })).object;
    forAll(100, [nested], (override) => {
      expect(JSON.stringify(renderCustom(null, override, values) ?? {})).not.toContain("null");
    });
  });
});

describe("placeholders", () => {
  test.each<[why: string, written: JsonValue, rendered: JsonValue]>([
    ["a placeholder becomes its text", "{{customer.email}}", "ada@example.com"],
    ["a number keeps its type when alone", "{{license.max_ips}}", 5],
    ["null stays null when alone", "{{license.expires_at}}", null],
    ["empty text stays empty text", "{{request.device_id}}", ""],
    ["embedded numbers become text", "max {{license.max_ips}}", "max 5"],
    ["embedded null becomes nothing", "<{{license.expires_at}}>", "<>"],
    ["several placeholders in one text are replaced", "{{product.id}}/{{organization.id}}", "prod_1/org_1"],
    ["spaces inside the braces are ignored", "{{ product.id }}", "prod_1"],
    ["unknown names stay as written", "{{customer.password}} {{x}}", "{{customer.password}} {{x}}"],
    ["an unknown name alone stays as written", "{{constructor}}", "{{constructor}}"],
    ["names are case-sensitive", "{{Product.Id}}", "{{Product.Id}}"],
    ["open braces stay as written", "{{product.id", "{{product.id"],
    ["a third brace stays outside", "{{{product.id}}}", "{prod_1}"],
    ["inserted text is not expanded again", "Hi {{customer.name}}", "Hi {{license.key}} $& $1"],
    ["inserted text alone is not expanded again", "{{customer.name}}", "{{license.key}} $& $1"],
    ["lists may contain placeholders", ["{{product.id}}", ["{{license.max_ips}}"], 7], ["prod_1", [5], 7]],
    ["objects may contain placeholders", { deep: { id: "{{product.id}}" } }, { deep: { id: "prod_1" } }],
    ["other types stay as written", [true, null, 1.5], [true, null, 1.5]],
  ])("%s", (_why, written, rendered) => {
    expect(renderCustom({ at: written }, null, values)).toEqual({ at: rendered });
  });

  test("member names are not expanded", () =>
    expect(renderCustom({ "{{product.id}}": 1 }, null, values)).toEqual({ "{{product.id}}": 1 }));

  test("an override may bring its own placeholder", () =>
    expect(renderCustom({ a: "x" }, { a: "{{license.id}}" }, values)).toEqual({ a: "lic_1" }));

  test.each([...placeholderNames])("the placeholder {{%s}} is known", (name) => {
    expect(renderCustom({ at: `{{${name}}}` }, null, values)).toEqual({ at: values[name] });
  });

  test("neither template nor override is changed", () => {
    const template = { a: { b: "{{product.id}}" }, c: 1 };
    const override = { a: { d: "{{license.id}}" }, c: null };
    renderCustom(template, override, values);
    expect(template).toEqual({ a: { b: "{{product.id}}" }, c: 1 });
    expect(override).toEqual({ a: { d: "{{license.id}}" }, c: null });
  });
});

describe("hostile members", () => {
  const polluting = parsed(
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":1}',
  );
  test.each<[template: JsonObject | null, override: JsonObject | null]>([
    [polluting, null],
    [null, polluting],
    [polluting, polluting],
    [{ a: { b: 1 } }, parsed('{"a":{"__proto__":{"polluted":true}}}')],
  ])("%j merged with %j pollutes no prototype", (template, override) => {
    const rendered = renderCustom(template, override, values) ?? {};
    expect(Object.getPrototypeOf(rendered)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
    expect("polluted" in rendered).toBe(false);
    expect(JSON.stringify(rendered)).not.toContain("__proto__");
  });

  test("members named like built-ins are ordinary data", () => {
    const template = parsed('{"toString":"{{product.id}}","valueOf":{"b":2}}');
    const rendered = renderCustom(template, parsed('{"constructor":{"a":1},"valueOf":{"c":3}}'), values);
    const expected = '{"toString":"prod_1","valueOf":{"b":2,"c":3},"constructor":{"a":1}}';
    expect(JSON.stringify(rendered)).toBe(expected);
  });

  test("data that is nested beyond the limit is cut", () => {
    const deep = parsed(`${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`);
    expect(JSON.stringify(renderCustom(deep, null, values)).length).toBeLessThan(300);
    expect(JSON.stringify(renderCustom(null, deep, values)).length).toBeLessThan(300);
    expect(JSON.stringify(renderCustom(deep, deep, values)).length).toBeLessThan(300);
  });
});

describe("parser", () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const circular: Record<string, unknown> = {};
  circular.self = circular;

  test("a custom response keeps every JSON type, up to 32 levels and 16 KiB", () => {
    const everything = { a: [1, "b", true, null, { c: -1.5 }] };
    for (const value of [{}, everything, nested(32), { a: "x".repeat(16 * 1024 - 8) }])
      expect<unknown>(parseCustomResponse(value)).toEqual({ ok: true, template: value });
  });

  test.each<[name: string, value: unknown, problem: string]>([
    ["null", null, "not_an_object"],
    ["a list", [1], "not_an_object"],
    ["a function inside", { a: () => 1 }, "not_an_object"],
    ["undefined inside", { a: undefined }, "not_an_object"],
    ["NaN inside", { a: Number.NaN }, "not_an_object"],
    ["33 levels", nested(33), "too_deep"],
    ["33 levels of lists", { a: JSON.parse("[".repeat(32) + "]".repeat(32)) }, "too_deep"],
    ["an object inside itself", circular, "too_deep"],
    ["one byte over 16 KiB", { a: "x".repeat(16 * 1024 - 7) }, "json_too_large"],
    ["over 16 KiB in bytes, not in characters", { a: "é".repeat(8 * 1024) }, "json_too_large"],
    ["too many values", { a: new Array(100_000).fill(1) }, "json_too_large"],
  ])("the parser of custom responses refuses %s", (_name, value, problem) => {
    const result = parseCustomResponse(value);
    expect<string | null>(result.ok ? null : result.problem).toBe(problem);
  });

  test("a member __proto__ of a custom response is dropped", () => {
    const result = parseCustomResponse(JSON.parse('{"__proto__":{"x":1},"a":1}'));
    expect(result).toEqual({ ok: true, template: { a: 1 } });
    expect("x" in (result.ok ? result.template : {})).toBe(false);
  });
});

/** As storage returns it: unlike an object literal, parsed JSON may hold an own member named `__proto__`. */
function parsed(text: string): JsonObject {
  return JSON.parse(text);
}
