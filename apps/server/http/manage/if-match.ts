import { Problem } from "./problem.ts";

/**
 * The entity tags of `If-Match`, without their quotes; null if any state will do. A weak tag counts too: proxies that
 * compress responses weaken their tags, which still identify the state.
 */
export function ifMatchOf(request: Request): readonly string[] | null {
  const header = request.headers.get("if-match")?.trim();
  if (header === undefined || header === "*") return null;
  if (!list.test(header)) {
    throw new Problem("invalid_if_match");
  }
  return Array.from(header.matchAll(tag), (match) => match[1] ?? "");
}

const tag = /(?:W\/)?"([^"]*)"/g;
const list = /^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/;
