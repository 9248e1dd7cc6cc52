import { Problem } from "./problem.ts";

/**
 * The entity tags of `If-Match`, without their quotes; null if any state will do. A weak tag counts too: proxies that
 * compress responses weaken their tags, which still identify the state.
 */
export function ifMatchOf(request: Request): readonly string[] | null {
  const header = request.headers.get("if-match")?.trim();
  if (header === undefined || header === "*") return null;
  if (!list.test(header)) {
    throw new Problem(
      "malformed",
      'If-Match should be the ETag that was read, in its quotes, such as "2031-01-02T03:04:05.678Z", or *.',
    );
  }
  return Array.from(header.matchAll(tag), (match) => match[1] ?? "");
}

const tag = /(?:W\/)?"([^"]*)"/g;
const list = /^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/;
