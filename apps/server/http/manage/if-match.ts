import { Problem } from "./problem.ts";

/**
 * The entity tags of `If-Match`, without their quotes; null when any state will do. A weak tag counts too: what
 * compresses answers on the way weakens their tags, and the tag says no less about the state for that.
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
