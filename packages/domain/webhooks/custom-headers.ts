/** The headers a seller can add to requests to their endpoint. */

export const mostHeaders = 20;

/** What is wrong with a header name, as a continuation of the name; null if it is valid. */
export function headerNameProblem(name: string): string | null {
  if (!/^[a-z][a-z0-9_-]{0,63}$/i.test(name))
    return "should be a header's name: a letter, then up to 63 letters, digits, - and _";
  if (isReserved(name.toLowerCase()))
    return "is a header that Countersign sets itself, or that is not sent on";
  return null;
}

/** What is wrong with a header value, as a continuation of the name; null if it is valid. */
export function headerValueProblem(value: string): string | null {
  if (value.length > 1_000) return "should have at most 1,000 characters";
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value))
    return "should be visible ASCII characters, with no space at either end";
  return null;
}

/** Sellers cannot set headers that define framing, routing or the signature. */
function isReserved(name: string): boolean {
  return reserved.has(name) || reservedBeginnings.some((beginning) => name.startsWith(beginning));
}

const reserved = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "via",
]);

const reservedBeginnings = ["webhook-", "proxy-", "sec-"];
