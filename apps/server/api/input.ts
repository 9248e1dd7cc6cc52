import { nothing, type Route } from "@countersign/contract/api/route";
import type { z } from "zod";
import { invalid, Problem } from "../http/problem.ts";
import { checked } from "./checked.ts";
import { mediaType, readJsonBody } from "./json-body.ts";
import { checkBodyTexts, checkQueryTexts } from "./texts.ts";

/** Far more than any route has. */
const mostParameters = 100;

export function readQuery(route: Route, parameters: URLSearchParams): unknown {
  return checked(route.query, queryValues(parameters), "query");
}

/** By name; an array for what occurs more than once. */
export function queryValues(parameters: URLSearchParams): Record<string, string | string[]> {
  if (parameters.size > mostParameters)
    throw invalid("query", "too_many_parameters", { max: mostParameters });
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
