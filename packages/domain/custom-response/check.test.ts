import { describe, expect, test } from "bun:test";
import { fastestMs } from "../../../tests/support/fastest.ts";
import { customResponseProblems } from "./check.ts";
import { type PlaceholderValues, placeholderNames, renderCustom } from "./template.ts";

describe("problems of custom responses", () => {
  test("an object with every placeholder has no problem", () => {
    const template = Object.fromEntries(
      placeholderNames.map((name) => [name, `a {{${name}}} and {{ ${name} }}`]),
    );
    expect(customResponseProblems(template)).toEqual([]);
    expect(customResponseProblems({ text: "{{ and }} alone, or { {x} }" })).toHaveLength(1);
    expect(customResponseProblems({ text: "an open {{ only" })).toEqual([]);
  });

  test("an unknown placeholder is reported with its path", () => {
    const [problem, ...others] = customResponseProblems({ user: { mails: ["x", "{{customer.mail}}"] } });
    expect(others).toEqual([]);
    expect(problem?.path).toEqual(["user", "mails", 1]);
    expect(problem?.fault).toEqual({
      code: "unknown_placeholder",
      params: { placeholder: "{{customer.mail}}", allowed: placeholderNames },
    });
  });

  test("a misspelled placeholder is reported with the correct spelling", () => {
    expect(customResponseProblems({ a: "{{  Customer.Email }}" })[0]?.fault).toEqual({
      code: "misspelled_placeholder",
      params: { placeholder: "{{  Customer.Email }}", correct: "{{customer.email}}" },
    });
  });

  test("nesting beyond the limit is reported with its path, however deep it is", () => {
    let value: unknown = "x";
    for (let depth = 0; depth < 50_000; depth++) value = { a: value };
    const [problem] = customResponseProblems(value);
    expect(problem?.path).toHaveLength(32);
    expect(problem?.fault).toEqual({ code: "too_deep", params: { max: 32 } });
  });

  test("a custom response that is too large or no object is refused", () => {
    const tooLarge = [{ path: [], fault: { code: "json_too_large", params: { max_kib: 16 } } }];
    expect<unknown>(customResponseProblems({ a: Array.from({ length: 20_000 }, () => 0) })).toEqual(tooLarge);
    const notAnObject = [{ path: [], fault: { code: "not_an_object", params: {} } }];
    for (const value of [[], null]) expect<unknown>(customResponseProblems(value)).toEqual(notAnObject);
  });
});

const values = Object.fromEntries(placeholderNames.map((name) => [name, "x"])) as PlaceholderValues;

/** Texts that make a careless pattern start again at every character. */
const hostile: [name: string, text: (length: number) => string][] = [
  ["open braces", (length) => "{".repeat(length)],
  ["open pairs with letters between", (length) => "{{a".repeat(length / 3)],
  ["one open pair, then letters", (length) => `{{${"a".repeat(length)}`],
  ["one open pair, then blanks", (length) => `{{${" ".repeat(length)}`],
  ["closed pairs of what is no placeholder", (length) => "{{ }}".repeat(length / 5)],
  ["half-closed pairs", (length) => "{{a}".repeat(length / 4)],
  ["closing braces", (length) => "}".repeat(length)],
];

test.each(hostile)("a text of %s takes time in proportion to its length", (_name, text) => {
  const factor = 16;
  for (const run of [
    (long: string) => void customResponseProblems({ a: long }),
    (long: string) => void renderCustom({ a: long }, null, values),
  ]) {
    const runOften = () => {
      for (let times = 0; times < factor; times++) run(text(1_000));
    };
    const short = fastestMs(runOften, 0, 7);
    const long = fastestMs(() => run(text(1_000 * factor)), 0, 7);
    // A quadratic one would take sixteen times as long.
    expect(long).toBeLessThan(short * 5 + 1);
  }
});
