/** What the link in the email holds after `#`: a token, and the page of the portal to continue to. */
interface LinkToken {
  readonly token: string;
  readonly next: string;
}

/** Null without a token. `next` is never another site. */
export function linkToken(hash: string): LinkToken | null {
  const [token = "", rest = ""] = hash.slice(1).split("&", 2);
  if (token === "") return null;
  const next = new URLSearchParams(rest).get("next") ?? "/";
  return { token, next: /^\/(?![/\\])[^\s\\]*$/.test(next) ? next : "/" };
}
