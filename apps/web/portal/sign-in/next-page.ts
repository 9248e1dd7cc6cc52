/** The page of the portal to continue to, from the query of a link. Never another site. */
export function nextPage(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "/";
  return /^\/(?![/\\])[^\s\\]*$/.test(next) ? next : "/";
}
