/** A page of this site, or the first page: whoever made the link must not send people elsewhere. */
export function pageOfThisSite(next: string | undefined): string {
  // Browsers read a backslash as a slash, and leave tabs and line breaks out.
  if (next === undefined || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(next)) return "/";
  const { origin, pathname, search, hash } = new URL(next, location.origin);
  return origin === location.origin ? pathname + search + hash : "/";
}
