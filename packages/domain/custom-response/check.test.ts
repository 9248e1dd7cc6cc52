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

  test("a placeholder that does not exist is named with its place", () => {
    const [problem, ...others] = customResponseProblems({ user: { mails: ["x", "{{customer.mail}}"] } });
    expect(others).toEqual([]);
    expect(problem?.path).toEqual(["user", "mails", 1]);
    expect(problem?.kind).toBe("no_placeholder");
    expect(problem?.written).toBe("{{customer.mail}}");
    expect(problem?.message).toContain("{{customer.mail}}");
    expect(problem?.message).toContain("customer.email");
  });

  test("a placeholder that is only spelled otherwise is told how to spell it", () => {
    expect(customResponseProblems({ a: "{{  Customer.Email }}" })[0]?.message).toContain(
      "Write {{customer.email}}",
    );
  });

  test("nesting beyond the limit is named with its place, however deep it goes", () => {
    let value: unknown = "x";
    for (let depth = 0; depth < 50_000; depth++) value = { a: value };
    const [problem] = customResponseProblems(value);
    expect(problem?.path).toHaveLength(32);
    expect(problem?.message).toContain("32 levels");
  });

  test("size is limited, and a whole that is no object is refused", () => {
    expect(customResponseProblems({ a: "x".repeat(16 * 1024) })[0]?.message).toContain("16 KiB");
    expect(customResponseProblems({ a: Array.from({ length: 20_000 }, () => 0) })[0]?.message).toContain(
      "16 KiB",
    );
    for (const value of [[], "x", 1, null]) {
      expect(customResponseProblems(value)).toEqual([
        { kind: "no_object", path: [], message: "should be a JSON object" },
      ]);
    }
  });
});
