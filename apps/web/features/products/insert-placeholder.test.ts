import { describe, expect, test } from "bun:test";
import { placeholderInsertion } from "./insert-placeholder.ts";

const value = "{{license.key}}";

/** `|` is the cursor; two of them enclose a selection. */
function inserted(marked: string): string {
  const [before = "", selected = "", after] = marked.split("|");
  const text = before + selected + (after ?? "");
  const whole = after === undefined ? before + selected : text;
  const end = after === undefined ? before.length : before.length + selected.length;
  const insertion = placeholderInsertion(whole, before.length, end, "license.key");
  return whole.slice(0, insertion.from) + insertion.text + whole.slice(insertion.to);
}

describe("placeholders", () => {
  test.each([
    ["inside a string", '{"hello": "Dear |"}', { hello: `Dear ${value}` }],
    ["inside a string with an escaped quote", '{"hello": "a \\" |b"}', { hello: `a " ${value}b` }],
    ["over part of a string", '{"hello": "Dear |name|!"}', { hello: `Dear ${value}!` }],
    ["where a value is missing", '{"hello": |}', { hello: value }],
    ["over a whole value including its quotes", '{"hello": |"you"|}', { hello: value }],
    ["directly before a string", '{"hello": |"you"}', { hello: `${value}you` }],
    ["in an empty array", '{"all": [|]}', { all: [value] }],
    ["after a value in an array", '{"all": [1|]}', { all: [1, value] }],
    ["between commas in an array", '{"all": [1, |, 2]}', { all: [1, value, 2] }],
    ["in an empty template", "|", { license_key: value }],
    ["in an empty object", "{|}", { license_key: value }],
    ["after the last member", '{\n  "plan": "pro"|\n}', { plan: "pro", license_key: value }],
    ["on an empty line at the end", '{\n  "plan": "pro"\n  |\n}', { plan: "pro", license_key: value }],
    ["before the first member", '{|\n  "plan": "pro"\n}', { license_key: value, plan: "pro" }],
    ["before the object", '|{"plan": "pro"}', { license_key: value, plan: "pro" }],
    ["in a nested object", '{"a": {"b": true|}}', { a: { b: true, license_key: value } }],
    ["next to a member of the same name", '{"license_key": 1|}', { license_key: 1, license_key_2: value }],
  ])("a placeholder inserted %s keeps the template valid JSON", (_, marked, expected) =>
    expect(JSON.parse(inserted(marked))).toEqual(expected),
  );

  test("a new member of a template is on its own line", () => {
    const wanted = `{\n  "plan": "pro",\n  "license_key": "${value}"\n}`;
    for (const rest of ["|\n}", "\n  |\n}", "\n|}", "\n}|"])
      expect(inserted(`{\n  "plan": "pro"${rest}`)).toBe(wanted);
  });
});
