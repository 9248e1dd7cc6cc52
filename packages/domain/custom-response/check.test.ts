import { describe, expect, test } from "bun:test";
import { customResponseProblems } from "./check.ts";
import { placeholderNames } from "./template.ts";

describe("what is wrong with a custom response", () => {
  test("nothing, for an object with every placeholder there is", () => {
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

  test("size is limited, and a whole that is no object is refused", () => {
    const tooLarge = [{ path: [], fault: { code: "json_too_large", params: { max_kib: 16 } } }];
    expect<unknown>(customResponseProblems({ a: "x".repeat(16 * 1024) })).toEqual(tooLarge);
    expect<unknown>(customResponseProblems({ a: Array.from({ length: 20_000 }, () => 0) })).toEqual(tooLarge);
    for (const value of [[], "x", 1, null]) {
      expect(customResponseProblems(value)).toEqual([
        { path: [], fault: { code: "not_an_object", params: {} } },
      ]);
    }
  });
});
