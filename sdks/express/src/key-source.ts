import type { Request } from "express";

/** Where to find the license key of a request. */
export type KeySource =
  | { readonly header: string }
  | { readonly query: string }
  | { readonly body: string }
  | ((request: Request) => string | null | undefined | Promise<string | null | undefined>);

export const defaultSource: KeySource = { header: "x-license-key" };

/** Null if there is none. */
export async function keyOf(request: Request, source: KeySource): Promise<string | null> {
  const value = await valueFrom(request, source);
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

function valueFrom(request: Request, source: KeySource): unknown {
  if (typeof source === "function") return source(request);
  if ("header" in source) return request.get(source.header);
  if ("query" in source) return request.query[source.query];
  return (request.body as Record<string, unknown> | undefined)?.[source.body];
}
