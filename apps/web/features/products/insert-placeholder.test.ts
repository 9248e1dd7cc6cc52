import { describe, expect, test } from "bun:test";
import { placeholderInsertion } from "./insert-placeholder.ts";

const value = "{{license.key}}";

/** `|` is the cursor; two of them hold a selection. */
function inserted(marked: string): string {
  const [before = "", selected = "", after] = marked.split("|");
  const text = before + selected + (after ?? "");
  const whole = after === undefined ? before + selected : text;
  const end = after === undefined ? before.length : before.length + selected.length;
  const insertion = placeholderInsertion(whole, before.length, end, "license.key");
  return whole.slice(0, insertion.from) + insertion.text + whole.slice(insertion.to);
}

describe("a placeholder is inserted so that the template stays JSON", () => {
  test.each([
    ["inside a text", '{"hello": "Dear |"}', { hello: `Dear ${value}` }],
    ["inside a text with an escaped quote", '{"hello": "a \\" |b"}', { hello: `a " ${value}b` }],
    ["over a part of a text", '{"hello": "Dear |name|!"}', { hello: `Dear ${value}!` }],
    ["where a value is missing", '{"hello": |}', { hello: value }],
    ["over a whole value with its quotes", '{"hello": |"you"|}', { hello: value }],
    ["over a number", '{"hello": |42|, "b": 1}', { hello: value, b: 1 }],
    ["right before a text", '{"hello": |"you"}', { hello: `${value}you` }],
    ["in an empty list", '{"all": [|]}', { all: [value] }],
    ["at the front of a list", '{"all": [|1]}', { all: [value, 1] }],
    ["behind a value of a list", '{"all": [1|]}', { all: [1, value] }],
    ["between commas of a list", '{"all": [1, |, 2]}', { all: [1, value, 2] }],
    ["in an empty template", "|", { license_key: value }],
    ["in an empty object", "{|}", { license_key: value }],
    ["behind the last member", '{\n  "plan": "pro"|\n}', { plan: "pro", license_key: value }],
    ["on an empty line behind it", '{\n  "plan": "pro"\n  |\n}', { plan: "pro", license_key: value }],
    ["behind a comma", '{\n  "plan": "pro",\n  |\n}', { plan: "pro", license_key: value }],
    ["before the first member", '{|\n  "plan": "pro"\n}', { license_key: value, plan: "pro" }],
    ["behind the whole", '{\n  "plan": {"a": 1}\n}|', { plan: { a: 1 }, license_key: value }],
    ["before the whole", '|{"plan": "pro"}', { license_key: value, plan: "pro" }],
    ["in an inner object", '{"a": {"b": true|}}', { a: { b: true, license_key: value } }],
    ["beside a member of the same name", '{"license_key": 1|}', { license_key: 1, license_key_2: value }],
  ])("%s", (_, marked, expected) => {
    expect(JSON.parse(inserted(marked))).toEqual(expected);
  });

  test("a new member is on its own line", () => {
    const wanted = `{\n  "plan": "pro",\n  "license_key": "${value}"\n}`;
    expect(inserted('{\n  "plan": "pro"|\n}')).toBe(wanted);
    expect(inserted('{\n  "plan": "pro"\n  |\n}')).toBe(wanted);
    expect(inserted('{\n  "plan": "pro"\n|}')).toBe(wanted);
    expect(inserted('{\n  "plan": "pro"\n}|')).toBe(wanted);
  });
});
