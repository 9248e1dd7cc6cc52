import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FileResponse } from "./response.ts";

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

type Packing = keyof typeof packings;

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
      const file = new StaticFile(readFileSync(path), type, packedOf(path));
      this.#files.set(path.slice(folder.length).replaceAll("\\", "/"), file);
    }
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** The uncompressed content. */
  text(path: string): string | null {
    return this.#files.get(path)?.text ?? null;
  }

  /** Null if there is no such file. What has a hash in its name is cached for a year, and all else as `cacheControl` says. */
  answer(request: Request, path: string, headers: FileHeaders): Response | null {
    // Their names change with their contents.
    const isNamedByContent = path.startsWith("/assets/");
    const caching = isNamedByContent ? { "cache-control": "public, max-age=31536000, immutable" } : {};
    return this.#files.get(path)?.answer(request, { ...headers, ...caching }) ?? null;
  }
}

interface FileHeaders extends Readonly<Record<string, string>> {
  readonly "cache-control": string;
  readonly "x-request-id": string;
}

/** A file, held once in memory that the threads share. */
export class StaticFile {
  readonly #content: Uint8Array;
  readonly #packed: ReadonlyMap<string, Uint8Array>;
  readonly #type: string;
  /** Of the content: the same whatever it is compressed with, so a weak one. */
  readonly #etag: string;

  constructor(content: Uint8Array, type: string, packed: readonly (readonly [Packing, Uint8Array])[]) {
    this.#content = shared(content);
    this.#type = type;
    this.#packed = new Map(packed.map(([name, bytes]) => [name, shared(bytes)]));
    this.#etag = `W/"${createHash("sha256").update(content).digest("base64url").slice(0, 16)}"`;
  }

  get text(): string {
    const { buffer, byteOffset, byteLength } = this.#content;
    return Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
  }

  /** Ranges are ignored, which every client has to expect: the response is the whole file. */
  answer(request: Request, headers: FileHeaders): Response {
    const packing = [...this.#packed.keys()].find((name) => takes(request, name));
    const all = {
      ...headers,
      etag: this.#etag,
      ...(this.#packed.size === 0 ? {} : { vary: "accept-encoding" }),
      "x-content-type-options": "nosniff",
    };
    if (isUnchanged(request, this.#etag)) return new Response(null, { status: 304, headers: all });
    const packed = packing === undefined ? undefined : this.#packed.get(packing);
    return new FileResponse(packed ?? this.#content, {
      headers: {
        ...all,
        "content-type": this.#type,
        ...(packing === undefined ? {} : { "content-encoding": packing }),
      },
    });
  }
}

function shared(bytes: Uint8Array): Uint8Array {
  const memory = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
  memory.set(bytes);
  return memory;
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

function packedOf(path: string): [Packing, Uint8Array][] {
  const names = Object.keys(packings) as Packing[];
  return names
    .filter((name) => existsSync(path + packings[name]))
    .map((name) => [name, readFileSync(path + packings[name])]);
}
