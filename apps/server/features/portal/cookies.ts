import { cookieIn } from "../../http/session-cookie.ts";

/** The portal's cookies: the session, the browser that requested a code, and the way to Discord and back. */
type PortalCookie = "countersign_portal" | "countersign_portal_challenge" | "countersign_portal_discord";

/** With https, the browser binds them to this host. */
function portalCookieName(portalUrl: string, name: PortalCookie = "countersign_portal"): string {
  return isHttps(portalUrl) ? `__Host-${name}` : name;
}

/** The `Set-Cookie` header. The value contains only characters that cookies allow. */
export function portalCookie(
  portalUrl: string,
  name: PortalCookie,
  value: string,
  maxAgeSeconds: number,
): string {
  const secure = isHttps(portalUrl) ? "; Secure" : "";
  return `${portalCookieName(portalUrl, name)}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly${secure}; SameSite=Lax`;
}

export function removedPortalCookie(portalUrl: string, name: PortalCookie): string {
  return portalCookie(portalUrl, name, "", 0);
}

export function portalCookieIn(headers: Headers, portalUrl: string, name: PortalCookie): string | null {
  return cookieIn(headers, portalCookieName(portalUrl, name));
}

function isHttps(url: string): boolean {
  return new URL(url).protocol === "https:";
}
