/** A path on this site, or the first page: a link must not redirect users elsewhere. */
export function localPath(next: string | undefined): string {
  // Browsers treat a backslash as a slash and drop tabs and line breaks.
  if (next === undefined || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(next)) return "/";
  const { origin, pathname, search, hash } = new URL(next, location.origin);
  return origin === location.origin ? pathname + search + hash : "/";
}
