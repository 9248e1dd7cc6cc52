import { z } from "zod";
import { ErrorList } from "./error-list.ts";

/**
 * The value as parsed by its schema, or a problem that names the errors. Not with `safeParse`, which would word every
 * error, even ten thousand identical ones.
 */
export function checked(schema: z.ZodType, value: unknown, where: "body" | "query"): unknown {
  const result = schema._zod.run({ value, issues: [] }, { async: false });
  if (result instanceof Promise) throw new Error("A schema of the contract cannot wait for anything.");
  if (result.issues.length === 0) return result.value;
  const errors = new ErrorList();
  for (const issue of result.issues) {
    if (errors.isFull) break;
    addIssue(errors, z.core.util.finalizeIssue(issue, { error: wording }, z.core.config()), where);
  }
  errors.throwIfAny();
  throw new Error("An issue without words.");
}

/** Each issue as a complete sentence that starts with the field name. */
function addIssue(errors: ErrorList, issue: z.core.$ZodIssue, where: string): void {
  const path = issue.path.map(String).join(".");
  if (issue.code !== "unrecognized_keys") {
    errors.add(path === "" ? where : path, issue.message.replace(/\.$/, ""));
    return;
  }
  for (const key of issue.keys) {
    if (errors.isFull) return;
    errors.add(path === "" ? key : `${path}.${key}`, "is not a field that can be set here");
  }
}

/** The message of an issue after the field name, if the schema has no message of its own. */
const wording: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `should be ${articled(issue.expected)}`;
    case "invalid_value":
      return `should be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return `should ${bound(issue.origin, true, Number(issue.minimum))}`;
    case "too_big":
      return `should ${bound(issue.origin, false, Number(issue.maximum))}`;
    case "invalid_format":
      return "does not have the right form";
    default:
      return undefined;
  }
};

function bound(origin: string, isLeast: boolean, number: number): string {
  const limit = isLeast ? "at least" : "at most";
  if (origin === "string") return `have ${limit} ${number} characters`;
  if (origin === "array" || origin === "set") return `have ${limit} ${number} elements`;
  return `be ${limit} ${number}`;
}

function articled(expected: string): string {
  const words: Record<string, string> = {
    int: "a whole number",
    number: "a number",
    boolean: "true or false",
    array: "a list",
    object: "an object",
    record: "an object",
    null: "null",
  };
  return words[expected] ?? `a ${expected}`;
}
