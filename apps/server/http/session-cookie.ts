import { createHmac, timingSafeEqual } from "node:crypto";

/** The prefix of all cookies of the sign-in library. With https, the browser binds them to this host. */
export function cookiePrefix(url: string): string {
  return new URL(url).protocol === "https:" ? "__Host-countersign" : "countersign";
}

export function sessionCookieName(url: string): string {
  return `${cookiePrefix(url)}.session_token`;
}

/**
 * Whether this server signed the cookie. Its session may have ended, but forged cookies are rejected before anything is
 * loaded, read or looked up.
 */
export function hasSignedCookie(headers: Headers, name: string, secret: string): boolean {
  const text = cookieIn(headers, name);
  if (text === null) return false;
  const dot = text.lastIndexOf(".");
  if (dot < 1) return false;
  const expected = createHmac("sha256", secret).update(text.slice(0, dot)).digest();
  const given = Buffer.from(text.slice(dot + 1), "base64");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The value of a cookie; null if it was not sent. */
export function cookieIn(headers: Headers, name: string): string | null {
  const start = `${name}=`;
  const cookie = headers
    .get("cookie")
    ?.split(";")
    .map((one) => one.trim())
    .find((one) => one.startsWith(start));
  return cookie === undefined ? null : decoded(cookie.slice(start.length));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
