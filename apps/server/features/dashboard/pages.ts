import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { noSuchPath } from "../../http/answers.ts";
import { isForPortalHost, isRead, targetOf } from "../../http/request.ts";
import { StaticFiles } from "../../http/static-files.ts";

/** Where the portal is, if it does not have its own host. */
const portalPath = "/portal";

/** The built dashboard and customer portal, read once. Maps a path to a page. */
export class DashboardPages {
  /** Null if it is not built. */
  readonly #files: StaticFiles | null;
  readonly #dashboard: string | null;
  readonly #portal: string | null;
  readonly #portalUrl: string | null;

  /** `portalUrl` is the origin of the portal, if it has its own host. */
  constructor(folder: string, { portalUrl = null }: { readonly portalUrl?: string | null } = {}) {
    this.#portalUrl = portalUrl;
    this.#dashboard = pageIn(folder, "index.html");
    this.#portal = pageIn(folder, "portal.html");
    this.#files = this.#dashboard === null ? null : new StaticFiles(folder, ["html"]);
  }

  /** A file of the dashboard, or the page itself; a problem for requests that are not from a browser. */
  answer(request: Request, requestId: string): Response {
    const { pathname, search } = targetOf(request);
    const file = isRead(request) ? this.#files?.answer(request, pathname, fileHeaders(requestId)) : null;
    if (file) return file;
    const isPortalSite = isForPortalHost(request);
    if (!isRead(request) || !wantsPage(request, pathname, isPortalSite)) return noSuchPath(requestId);
    const isBelow = pathname === portalPath || pathname.startsWith(`${portalPath}/`);
    if (isBelow && this.#portalUrl !== null)
      return redirect(this.#portalUrl + localPath(pathname.slice(portalPath.length)) + search, requestId);
    const page = isBelow || isPortalSite ? this.#portal : this.#dashboard;
    return page === null ? notBuilt(requestId) : this.#html(page, isPortalSite ? "" : portalPath, requestId);
  }

  #html(page: string, portalBase: string, requestId: string): Response {
    const nonce = randomBytes(16).toString("base64url");
    return new Response(page.replace("%NONCE%", nonce).replace("%BASE%", portalBase), {
      headers: {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "content-security-policy": policy(nonce),
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "x-request-id": requestId,
      },
    });
  }
}

function fileHeaders(requestId: string) {
  return { "cache-control": "public, max-age=3600", "x-request-id": requestId };
}

/** The first path segments that the dashboard's router knows, besides `/`. */
export const firstSegments: ReadonlySet<string> = new Set([
  "account",
  "admin",
  "forgot-password",
  "invitations",
  "o",
  "organizations",
  "reset-password",
  "setup",
  "sign-in",
  "sign-up",
]);

/** The first path segments that the portal's router knows, besides `/`. */
export const portalSegments: ReadonlySet<string> = new Set([
  "account",
  "licenses",
  "open",
  "sign-in",
  "transfers",
]);

/**
 * A browser asks for HTML and gets the page for every other path too, where it says "not found". A program that accepts
 * anything, such as curl, gets the page only for a known path, and a problem otherwise.
 */
function wantsPage(request: Request, pathname: string, isPortalSite: boolean): boolean {
  if (pathname.startsWith("/api/") || pathname.startsWith("/assets/")) return false;
  const accept = request.headers.get("accept") ?? "*/*";
  if (accept.includes("text/html")) return true;
  const takesAnything = accept.includes("*/*") || accept.includes("text/*");
  const first = pathname.split("/")[1] ?? "";
  const isKnown = first === "portal" || (isPortalSite ? portalSegments : firstSegments).has(first);
  return takesAnything && (pathname === "/" || isKnown);
}

function pageIn(folder: string, name: string): string | null {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

/** Without the slashes that could make the rest of a path another host. */
function localPath(path: string): string {
  return `/${path.replace(/^\/+/, "")}`;
}

function redirect(location: string, requestId: string): Response {
  return new Response(null, {
    status: 302,
    headers: {
      location,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-request-id": requestId,
    },
  });
}

/** Nothing from other hosts, no inline scripts, and styles only with the nonce of this response. */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function notBuilt(requestId: string): Response {
  return new Response(
    "The dashboard is not built. Start the server with npm start, or run: npm run build\n",
    {
      status: 503,
      headers: { "content-type": "text/plain; charset=utf-8", "x-request-id": requestId },
    },
  );
}
