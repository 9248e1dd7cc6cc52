import type { AnyRequest, KeySource } from "./options.ts";

/** Null if the request has none. */
export async function keyOf(
  request: AnyRequest,
  source: KeySource = { header: "x-license-key" },
): Promise<string | null> {
  const value = typeof source === "function" ? await source(request) : valueFrom(request, source);
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

function valueFrom(request: AnyRequest, source: Exclude<KeySource, (...args: never[]) => unknown>): unknown {
  if ("header" in source) return request.headers[source.header.toLowerCase()];
  if ("query" in source) return member(request.query, source.query);
  return member(request.body, source.body);
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
