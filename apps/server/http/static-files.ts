import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  md: "text/markdown; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  webp: "image/webp",
  woff2: "font/woff2",
  yml: "text/yaml; charset=utf-8",
};

/** The compressions that the build applies, by file extension, smallest first. */
const packings = { br: ".br", gzip: ".gz" } as const;

interface StaticFile {
  readonly body: Uint8Array<ArrayBuffer>;
  /** The compressed contents, by encoding. */
  readonly packed: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  readonly type: string;
  readonly etag: string;
}

/** The files of a built part, read once. */
export class StaticFiles {
  readonly #files = new Map<string, StaticFile>();

  /** Without those whose names end like one of `except`. */
  constructor(folder: string, except: readonly string[] = []) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const ending = entry.name.split(".").at(-1) ?? "";
      const type = types[ending];
      if (!entry.isFile() || type === undefined || except.includes(ending)) continue;
      const path = join(entry.parentPath, entry.name);
      const body = readFileSync(path);
      this.#files.set(path.slice(folder.length).replaceAll("\\", "/"), {
        body,
        packed: packedOf(path),
        type,
        etag: `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 16)}"`,
      });
    }
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** The uncompressed content. */
  text(path: string): string | null {
    const file = this.#files.get(path);
    return file === undefined ? null : new TextDecoder().decode(file.body);
  }

  /** Null if there is no such file. What has a hash in its name is cached for a year, and all else as `cacheControl` says. */
  answer(request: Request, path: string, headers: FileHeaders): Response | null {
    const file = this.#files.get(path);
    if (file === undefined) return null;
    const packing = [...file.packed.keys()].find((name) => takes(request, name));
    const all = {
      ...headers,
      etag: file.etag,
      ...(file.packed.size === 0 ? {} : { vary: "accept-encoding" }),
      // Their names change with their contents.
      ...(path.startsWith("/assets/") ? { "cache-control": "public, max-age=31536000, immutable" } : {}),
      "x-content-type-options": "nosniff",
    };
    if (isUnchanged(request, file.etag)) return new Response(null, { status: 304, headers: all });
    return new Response(packing === undefined ? file.body : file.packed.get(packing), {
      headers: {
        ...all,
        "content-type": file.type,
        ...(packing === undefined ? {} : { "content-encoding": packing }),
      },
    });
  }
}

interface FileHeaders extends Readonly<Record<string, string>> {
  readonly "cache-control": string;
  readonly "x-request-id": string;
}

function isUnchanged(request: Request, etag: string): boolean {
  const known = request.headers.get("if-none-match")?.split(",") ?? [];
  return known.some((one) => one.trim() === etag || one.trim() === "*");
}

function takes(request: Request, packing: string): boolean {
  const offers = request.headers.get("accept-encoding")?.split(",") ?? [];
  return offers.some((offer) => {
    const [name, weight] = offer.split(";").map((part) => part.trim());
    return name === packing && Number(weight?.replace("q=", "") ?? 1) > 0;
  });
}

function packedOf(path: string): StaticFile["packed"] {
  const packed = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const [name, ending] of Object.entries(packings))
    if (existsSync(path + ending)) packed.set(name, readFileSync(path + ending));
  return packed;
}
