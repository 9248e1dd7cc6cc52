/** Which site a forwarded request is for: `portal` on the portal's own host. Only the validating thread can set it. */
export const siteHeader = "x-countersign-site";

export function isForPortalHost(request: Request): boolean {
  return request.headers.get(siteHeader) === "portal";
}

/**
 * The path and query of a request. The host is a placeholder, because the one in `request.url` is whatever the caller
 * sent as `Host`, and need not be a valid host.
 */
export function targetOf(request: Request): URL {
  return new URL(`http://host.invalid${withoutHost(request.url)}`);
}

/**
 * The rest of a path after its base. Empty, which matches no route, for a path that only started there: `..` may have
 * led out of it.
 */
export function pathBelow(path: string, base: string): string {
  return path.startsWith(`${base}/`) ? path.slice(base.length) : "";
}

/**
 * Path and query of `http://example.com/path?query`, or of `/path?query` from some callers. Extracted from the text,
 * because a URL with a malformed host cannot be parsed.
 */
export function withoutHost(url: string): string {
  const target = url.replace(/^https?:\/\/[^/?#]*/, "");
  return target.startsWith("/") ? target : `/${target}`;
}
