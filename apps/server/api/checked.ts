import { type FieldFault, fieldFault, isFieldErrorCode } from "@countersign/contract/problems/problems";
import { z } from "zod";
import { ErrorList } from "./error-list.ts";

/**
 * The value as parsed by its schema, or a problem that names the errors. Not with `safeParse`, which would word every
 * error, even ten thousand identical ones.
 */
export function checked(schema: z.ZodType, value: unknown, where: "body" | "query"): unknown {
  const result = schema._zod.run({ value, issues: [] }, { async: false });
  if (result instanceof Promise) throw new Error("A schema of the contract cannot be asynchronous.");
  if (result.issues.length === 0) return result.value;
  const errors = new ErrorList();
  for (const issue of result.issues) {
    if (errors.isFull) break;
    addIssue(errors, z.core.util.finalizeIssue(issue, { error: wording }, z.core.config()), where);
  }
  errors.throwIfAny();
  throw new Error("An issue without an error.");
}

function addIssue(errors: ErrorList, issue: z.core.$ZodIssue, where: string): void {
  const path = issue.path.map(String).join(".");
  if (issue.code !== "unrecognized_keys") {
    errors.add(path === "" ? where : path, faultOf(issue));
    return;
  }
  for (const key of issue.keys) {
    if (errors.isFull) return;
    errors.add(path === "" ? key : `${path}.${key}`, fieldFault("unknown_field"));
  }
}

/** What the schema's own rule says, or else what kind of issue it is. */
function faultOf(issue: z.core.$ZodIssue): FieldFault {
  if (issue.code === "custom" && isFault(issue.params)) return issue.params;
  if (isFieldErrorCode(issue.message)) return { code: issue.message, params: {} } as FieldFault;
  switch (issue.code) {
    case "invalid_type":
      return issue.message === isMissing ? fieldFault("missing") : wrongType(issue.expected);
    case "invalid_value":
      return oneOf(issue.values.map((value) => (typeof value === "string" ? value : String(value))));
    case "too_small":
      return tooSmall(issue.origin, Number(issue.minimum));
    case "too_big":
      return tooBig(issue.origin, Number(issue.maximum));
    case "invalid_union":
      return unionFault(issue.errors);
    default:
      return fieldFault("wrong_format");
  }
}

/** What the alternative says that fits best: it has the value's type, or its fault is deepest inside the value. */
function unionFault(alternatives: readonly (readonly z.core.$ZodIssue[])[]): FieldFault {
  const [best, next] = alternatives
    .flatMap(([issue]) => (issue === undefined || issue.code === "invalid_type" ? [] : [issue]))
    .sort((one, other) => other.path.length - one.path.length);
  const isUnclear = best === undefined || next?.path.length === best.path.length;
  return isUnclear ? fieldFault("wrong_format") : faultOf(best);
}

const isMissing = "missing";

/** The input of an issue is known here alone. Nothing else of an issue needs words. */
const wording: z.core.$ZodErrorMap = (issue) =>
  issue.code === "invalid_type" && issue.input === undefined ? isMissing : "";

function isFault(params: unknown): params is FieldFault {
  return typeof params === "object" && params !== null && "code" in params && "params" in params;
}

function oneOf(values: readonly string[]): FieldFault {
  const [only] = values;
  if (only !== undefined && values.length === 1) return fieldFault("not_this_value", { expected: only });
  return fieldFault("not_one_of", { allowed: values });
}

function tooSmall(origin: string, count: number): FieldFault {
  if (origin === "string") return fieldFault("too_short", { count });
  if (origin === "array" || origin === "set") return fieldFault("too_few", { count });
  return fieldFault("too_small", { min: count });
}

function tooBig(origin: string, count: number): FieldFault {
  if (origin === "string") return fieldFault("too_long", { count });
  if (origin === "array" || origin === "set") return fieldFault("too_many", { count });
  return fieldFault("too_large", { max: count });
}

function wrongType(expected: string): FieldFault {
  switch (expected) {
    case "string":
      return fieldFault("not_a_string");
    case "number":
      return fieldFault("not_a_number");
    case "int":
      return fieldFault("not_an_integer");
    case "boolean":
      return fieldFault("not_a_boolean");
    case "array":
      return fieldFault("not_an_array");
    case "object":
    case "record":
      return fieldFault("not_an_object");
    default:
      return fieldFault("wrong_type", { expected });
  }
}
