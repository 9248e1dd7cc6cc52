/** The headers a seller can add to requests to their endpoint. */

export const maxHeaders = 20;

/** What is wrong with a header name; null if it is valid. */
export function headerNameProblem(name: string): "invalid_header_name" | "reserved_header_name" | null {
  if (!/^[a-z][a-z0-9_-]{0,63}$/i.test(name)) return "invalid_header_name";
  return isReserved(name.toLowerCase()) ? "reserved_header_name" : null;
}

type HeaderValueFault =
  | { readonly code: "too_long"; readonly params: { readonly count: number } }
  | { readonly code: "invalid_header_value"; readonly params: object };

const maxValueLength = 1_000;

/** What is wrong with a header value; null if it is valid. */
export function headerValueProblem(value: string): HeaderValueFault | null {
  if (value.length > maxValueLength) return { code: "too_long", params: { count: maxValueLength } };
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value))
    return { code: "invalid_header_value", params: {} };
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
