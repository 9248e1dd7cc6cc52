import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { noSuchPath } from "../../http/answers.ts";
import { targetOf } from "../../http/request.ts";
import { StaticFiles } from "../../http/static-files.ts";

const base = "/docs";

/** Its program, Scalar, adds styles of its own to the page. */
const apiReference = "/reference/api.html";

/** The built documentation, read at the first request for it. */
export class DocsSite {
  readonly #folder: string;
  #files: StaticFiles | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A page or a file; the site's own page, with status 404, for a browser that asks for another one. */
  answer(request: Request, requestId: string): Response {
    const files = this.#built();
    if (files === null) return notBuilt(requestId);
    const { pathname, search } = targetOf(request);
    const path = pathname.slice(base.length);
    const elsewhere = canonical(files, path);
    if (elsewhere !== path) return redirect(base + elsewhere + search, requestId);
    const page = pageAt(files, path);
    if (page !== null) return this.#page(request, files, page, requestId);
    const file = path.endsWith(".html")
      ? null
      : files.answer(request, path, { ...headersOf(requestId), "cache-control": "no-cache" });
    return file ?? this.#missing(request, files, requestId);
  }

  /** `npm start` builds the documentation while the server runs already. */
  #built(): StaticFiles | null {
    if (this.#files === null && existsSync(join(this.#folder, "index.html")))
      this.#files = new StaticFiles(this.#folder);
    return this.#files;
  }

  #page(request: Request, files: StaticFiles, path: string, requestId: string): Response {
    const policy = policyOf(files.text(path) ?? "", path === apiReference);
    const headers = { ...headersOf(requestId), ...policy, "cache-control": "no-cache" };
    return files.answer(request, path, headers) ?? noSuchPath(requestId);
  }

  #missing(request: Request, files: StaticFiles, requestId: string): Response {
    const html = files.text("/404.html");
    const wantsPage = request.headers.get("accept")?.includes("text/html") === true;
    if (html === null || !wantsPage) return noSuchPath(requestId);
    const headers = { ...headersOf(requestId), ...policyOf(html, false), "content-type": htmlType };
    return new Response(html, { status: 404, headers });
  }
}

const htmlType = "text/html; charset=utf-8";

function headersOf(requestId: string) {
  return {
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
  };
}

/** The file of a page: `/operating/` and `/operating/backups` have one, and `/operating` has none. */
function pageAt(files: StaticFiles, path: string): string | null {
  const name = path.endsWith("/") ? `${path}index.html` : `${path}.html`;
  return files.has(name) ? name : null;
}

/** Every page has one address. */
function canonical(files: StaticFiles, path: string): string {
  const known = (address: string) => pageAt(files, address) !== null;
  const plain = path.replace(/(?:\/index)?\.html$/, "").replace(/\/$/, "");
  if (path === "") return "/";
  if (known(path)) return path.endsWith("/index") ? path.slice(0, -"index".length) : path;
  if (plain !== path && known(plain)) return plain;
  return known(`${plain}/`) ? `${plain}/` : path;
}

/** Nothing from other hosts, and of inline scripts only those that the build wrote into the page. */
function policyOf(html: string, addsStyles: boolean) {
  const scripts = Array.from(
    html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g),
    ([, text = ""]) => createHash("sha256").update(text).digest("base64"),
  );
  return {
    "content-security-policy": [
      "default-src 'none'",
      `script-src 'self'${scripts.map((hash) => ` 'sha256-${hash}'`).join("")}`,
      `style-src 'self'${addsStyles ? " 'unsafe-inline'" : ""}`,
      // The colors of code are attributes.
      "style-src-attr 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "x-frame-options": "DENY",
  };
}

function redirect(location: string, requestId: string): Response {
  return new Response(null, {
    status: 302,
    headers: { ...headersOf(requestId), location, "cache-control": "no-store" },
  });
}

/** A browser asks again automatically. */
function notBuilt(requestId: string): Response {
  return new Response(
    "The documentation is being built, if the server was started with npm start, and will be here in a moment. Otherwise run: npm run build\n",
    {
      status: 503,
      headers: {
        ...headersOf(requestId),
        "content-type": "text/plain; charset=utf-8",
        "cache-control": "no-store",
        refresh: "5",
        "retry-after": "5",
      },
    },
  );
}
