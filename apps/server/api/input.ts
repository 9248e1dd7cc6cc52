import type { BodyLimit } from "@countersign/contract/api/body-limit";
import { nothing, type Route } from "@countersign/contract/api/route";
import type { FieldErrorBody } from "@countersign/contract/problems/declare";
import {
  type FieldFault,
  fieldErrorBody,
  fieldFault,
  isFieldErrorCode,
} from "@countersign/contract/problems/problems";
import { z } from "zod";
import { invalid, Problem } from "../http/problem.ts";
import { mediaType, readJsonBody } from "./bounded-body.ts";

/** Far more than any route has. */
const maxParameters = 100;

export function readQuery(route: Route, parameters: URLSearchParams): unknown {
  return checked(route.query, queryValues(parameters), "query");
}

/** By name; an array for what occurs more than once. */
export function queryValues(parameters: URLSearchParams): Record<string, string | string[]> {
  if (parameters.size > maxParameters) throw invalid("query", "too_many_parameters", { max: maxParameters });
  const values = new Map<string, string | string[]>();
  for (const [name, value] of parameters) {
    const before = values.get(name);
    values.set(name, before === undefined ? value : [before, value].flat());
  }
  const query = Object.fromEntries(values);
  checkQueryTexts(query);
  return query;
}

/** The body as JSON, checked against its schema. Routes with another content type read it themselves. */
export async function readBody(route: Route, request: Request): Promise<{ value: unknown; text: string }> {
  if (route.bodyTypes !== undefined) {
    const type = mediaType(request);
    if (!route.bodyTypes.includes(type)) {
      throw new Problem("wrong_content_type", { expected: route.bodyTypes.join(" or ") });
    }
    return { value: undefined, text: "" };
  }
  const json = await readJsonBody(request, route.bodyLimit);
  const text = json?.text ?? "";
  if ((route.body as z.ZodType) === nothing) return { value: undefined, text };
  if (json === null) return { value: checked(route.body, {}, "body"), text };
  checkBodyTexts(json.value, text);
  return { value: checked(route.body, json.value, "body"), text };
}

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

/** Longer than any existing field name or path. */
const maxFieldLength = 200;
const maxParamLength = 1_000;
/** Longer than any of our messages. */
const maxMessageLength = 1_500;
const maxCharacters = 30_000;
/** How many of them `detail` repeats. */
const maxInDetail = 5;

/** The field errors of a request, limited to what anyone would read. */
export class ErrorList {
  readonly #most: number;
  readonly #errors: FieldErrorBody[] = [];
  #characters = 0;

  constructor(most = 100) {
    this.#most = most;
  }

  /** Whether further errors would be dropped. */
  get isFull(): boolean {
    return this.#errors.length >= this.#most || this.#characters >= maxCharacters;
  }

  add(field: string, fault: FieldFault): void {
    if (this.isFull) return;
    const error = fieldErrorBody(cut(field, maxFieldLength), withShortParams(fault));
    this.#errors.push({ ...error, message: cut(error.message, maxMessageLength) });
    this.#characters += error.field.length + error.message.length;
  }

  throwIfAny(): void {
    if (this.#errors.length === 0) return;
    const detail = this.#errors.slice(0, maxInDetail).map((error) => error.message);
    throw new Problem("invalid", {}, { errors: this.#errors, detail: detail.join(" ") });
  }
}

/** Some parameters repeat the input. */
function withShortParams({ code, params }: FieldFault): FieldFault {
  const short = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === "string" ? cut(value, maxParamLength) : value,
  ]);
  return { code, params: Object.fromEntries(short) } as FieldFault;
}

/** Never in the middle of a character. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/**
 * Text that cannot be stored: PostgreSQL accepts no NUL character, and half of a surrogate pair is not a character.
 * Rejected wherever it comes from, so that both databases store the same.
 */
export function isUnstorable(text: string): boolean {
  return text.includes("\0") || !text.isWellFormed();
}

/** In JSON, such characters can only be written like this. */
const suspicious = /\\u(?:0000|d[89a-f])/i;

const maxErrors = 20;

/** Rejects a body that contains such text anywhere, and says where. The body's depth and values are bounded. */
function checkBodyTexts(json: unknown, source: string): void {
  if (!suspicious.test(source)) return;
  const errors = new ErrorList(maxErrors);
  checkTexts(json, [], errors);
  errors.throwIfAny();
}

function checkTexts(value: unknown, path: readonly string[], errors: ErrorList): void {
  if (errors.isFull) return;
  if (typeof value === "string" && isUnstorable(value)) addUnstorable(errors, path);
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (errors.isFull) return;
    const inside = [...path, name];
    if (isUnstorable(name)) addUnstorable(errors, inside);
    checkTexts(member, inside, errors);
  }
}

function checkQueryTexts(query: Readonly<Record<string, string | string[]>>): void {
  const errors = new ErrorList(maxErrors);
  for (const [name, value] of Object.entries(query)) {
    if ([name, value].flat().some(isUnstorable)) addUnstorable(errors, [name]);
  }
  errors.throwIfAny();
}

function addUnstorable(errors: ErrorList, path: readonly string[]): void {
  const field = path.map((name) => name.toWellFormed().replaceAll("\0", "\u{fffd}")).join(".");
  errors.add(field || "body", fieldFault("invalid_text"));
}

type JsonObject = Readonly<Record<string, unknown>>;

/** The body of a sign-in request, checked against its schema. */
export async function readJson(request: Request, schema: z.ZodType, limit: BodyLimit): Promise<JsonObject> {
  const json = await readJsonBody(request, limit);
  if (json !== null) checkBodyTexts(json.value, json.text);
  return checked(schema, json === null ? {} : json.value, "body") as JsonObject;
}
