/** What fills a placeholder. Dashboards show numbers, lists and ISO times as their reader writes them. */
export type Param = string | number | readonly string[] | FieldErrorBody;

export type Params = Readonly<Record<string, Param>>;

/** A wrong field, as a response or a stored failure contains it. */
export interface FieldErrorBody {
  readonly field: string;
  readonly code: string;
  readonly params: Params;
  /** In English, starting with the field's name. */
  readonly message: string;
}

/** English, with `{name}` where a parameter goes. Where a number decides the wording, it is named `count`. */
export type Text = string | { readonly one: string; readonly other: string };

type NamesIn<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

type NamesOf<T extends Text> = T extends string
  ? NamesIn<T>
  : T extends { readonly other: infer Other extends string }
    ? NamesIn<Other>
    : never;

/** The parameters that a text needs. */
export type ParamsOf<T extends Text> = {
  readonly [Name in NamesOf<T>]: Name extends "count" ? number : Param;
};

/** A reason why a request is refused. */
export interface DeclaredProblem<T extends Text = Text> {
  readonly status: number;
  readonly text: T;
  /** What else a developer wants to know, for the page at /problems/<code>. */
  readonly help: string | null;
}

export function problem<const T extends Text>(
  status: number,
  text: T,
  help: string | null = null,
): DeclaredProblem<T> {
  return { status, text, help };
}

/** The text with its placeholders filled, in English. */
export function filled(text: Text, params: Params): string {
  const chosen = typeof text === "string" ? text : params.count === 1 ? text.one : text.other;
  return chosen.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = params[name];
    return value === undefined ? whole : inEnglish(value);
  });
}

/** The names of the placeholders in a text. */
export function placeholders(text: Text): string[] {
  const { one, other } = typeof text === "string" ? { one: text, other: text } : text;
  const names = [...`${one} ${other}`.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return [...new Set(names)];
}

/** Created once: floods are refused with texts that contain a number. */
const numbers = new Intl.NumberFormat("en");

function inEnglish(value: Param): string {
  if (typeof value === "number") return numbers.format(value);
  if (typeof value === "string") return value;
  return "message" in value ? value.message : value.join(", ");
}

/** The `title` of a problem. The code says more. */
export const statusTitles: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Not signed in",
  402: "Payment required",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  408: "Request timeout",
  409: "Conflict",
  412: "Changed since it was read",
  413: "Body too large",
  415: "Unsupported content type",
  422: "Invalid request",
  429: "Too many requests",
  500: "Internal error",
  502: "Bad gateway",
  503: "Temporarily unavailable",
};
