import { nothing, type Route } from "@countersign/contract/manage/route";
import type { z } from "zod";
import { type FieldError, Problem } from "./problem.ts";
import { checkBodyTexts, checkQueryTexts } from "./texts.ts";

/** Enough for ten thousand licenses at once. */
const maxBodyBytes = 16 * 1024 * 1024;
/** Nobody reads ten thousand. */
const mostErrors = 100;

export function readQuery(route: Route, url: URL): unknown {
  const values: Record<string, string | string[]> = {};
  for (const name of new Set(url.searchParams.keys())) {
    const all = url.searchParams.getAll(name);
    values[name] = all.length === 1 ? (all[0] ?? "") : all;
  }
  checkQueryTexts(values);
  return checked(route.query, values, "query");
}

/** The body as JSON, held against its schema. Routes that read another type read it themselves. */
export async function readBody(route: Route, request: Request): Promise<{ value: unknown; text: string }> {
  if (route.bodyTypes !== undefined) {
    const type = mediaType(request);
    if (!route.bodyTypes.includes(type)) {
      throw new Problem(
        "wrong_type",
        `Send the body as ${route.bodyTypes.join(" or ")}, not as ${type || "nothing"}.`,
      );
    }
    return { value: undefined, text: "" };
  }
  const text = await textOf(request);
  if (text === "") {
    if ((route.body as z.ZodType) === nothing) return { value: undefined, text };
    return { value: checked(route.body, {}, "body"), text };
  }
  if (mediaType(request) !== "application/json") {
    throw new Problem("wrong_type", "Send the body as application/json.");
  }
  const json = parse(text);
  if ((route.body as z.ZodType) === nothing) return { value: undefined, text };
  checkBodyTexts(json, text);
  return { value: checked(route.body, json, "body"), text };
}

export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

async function textOf(request: Request): Promise<string> {
  const tooLarge = () =>
    new Problem("too_large", `The body is larger than ${maxBodyBytes / 1024 / 1024} MiB.`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) throw tooLarge();
  const text = await request.text();
  if (text.length > maxBodyBytes) throw tooLarge();
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem("malformed", "The body is not JSON.");
  }
}

export function checked(schema: z.ZodType, value: unknown, where: "body" | "query"): unknown {
  const result = schema.safeParse(value, { error: wording });
  if (result.success) return result.data;
  const errors = fieldErrors(result.error, where).slice(0, mostErrors);
  const said = errors.slice(0, 5).map((error) => error.message);
  throw new Problem("invalid", said.join(" "), { errors });
}

/** Each issue as a whole sentence that begins with the field's name. */
export function fieldErrors(error: z.ZodError, where: string): FieldError[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String).join(".");
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => {
        const field = path === "" ? key : `${path}.${key}`;
        return { field, message: `${field} is not a field that can be set here.` };
      });
    }
    const field = path === "" ? where : path;
    return [{ field, message: `${field} ${issue.message.replace(/\.$/, "")}.` }];
  });
}

/** What an issue says after the field's name, where the schema has no words of its own. */
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
