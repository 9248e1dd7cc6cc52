/**
 * What the request is for: its path and query. The host is a placeholder, because the one in `request.url` is whatever
 * the caller wrote into `Host`, and need not be a host at all.
 */
export function targetOf(request: Request): URL {
  return new URL(`http://host.invalid${withoutHost(request.url)}`);
}

/**
 * What is left of a path after its base. Empty, which is no address, for a path that only began there: `..` may have
 * led out of it.
 */
export function pathBelow(path: string, base: string): string {
  return path.startsWith(`${base}/`) ? path.slice(base.length) : "";
}

/**
 * Path and query of `http://example.com/path?query`, or from some callers of `/path?query` alone. Taken from the text,
 * because a URL whose host is malformed cannot be parsed.
 */
export function withoutHost(url: string): string {
  const target = url.replace(/^https?:\/\/[^/?#]*/, "");
  return target.startsWith("/") ? target : `/${target}`;
}
