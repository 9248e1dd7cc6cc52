import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scalarNotice } from "../docs/.vitepress/scalar.ts";

/**
 * What the server and the dashboard contain of others: their licenses require that every copy carries their notices. The
 * builds write them into what they build, `countersign notices` prints them, and `npm run notices` lists the licenses.
 */

const root = join(import.meta.dirname, "..");

/** Licenses under which others' code can be part of what is shipped. Another one is for a person to decide. */
export const allowedLicenses: readonly string[] = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Unlicense",
];

export interface Shipped {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  /** What it is part of, or needs it. */
  readonly usedBy: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

interface InstalledPackage extends Shipped {
  readonly folder: string;
  readonly author: string;
}

/** They build the dashboard and the documentation. Only their small runtimes are part of them, and nothing of what they need themselves. */
const buildTools = new Set(["vite", "@vitejs/plugin-react", "vitepress"]);

/** What VitePress, which builds the documentation, makes part of its pages. */
const inDocs = [
  "vitepress",
  "vue",
  "@vueuse/core",
  "@vueuse/integrations",
  "focus-trap",
  "mark.js",
  "minisearch",
];

const parts = ["apps/server", "apps/web", "packages/contract", "packages/domain", "packages/store"];

/** Every package that the server or the dashboard can contain: what they depend on, and what that depends on. */
export function shippedPackages(): readonly InstalledPackage[] {
  const packages = new Map<string, InstalledPackage>();
  const visit = (folder: string, usedBy: string): void => {
    const manifest = manifestIn(folder);
    const { name, version, license = "none", author } = manifest;
    const isOurs = name.startsWith("@countersign/");
    if (!isOurs) {
      if (packages.has(folder)) return;
      const authorName = typeof author === "string" ? author : author?.name;
      packages.set(folder, {
        folder,
        name,
        version,
        license,
        usedBy,
        author: authorName ?? `the authors of ${name}`,
      });
    }
    if (!buildTools.has(name))
      for (const needed of neededBy(manifest)) {
        const found = installed(needed, folder);
        if (found !== null && !needed.startsWith("@countersign/")) visit(found, isOurs ? usedBy : name);
      }
  };
  for (const part of parts) visit(join(root, part), part);
  for (const name of inDocs) visit(join(root, "node_modules", name), "docs");
  const byName = new Map([...packages.values()].map((one) => [`${one.name} ${one.version}`, one]));
  return [...byName.values()].sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

/** Types are not part of anything that runs. */
function neededBy({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }: Manifest) {
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers].filter(
    (name) => !name.startsWith("@types/"),
  );
}

/** As the runtime finds it. Null for an optional one that this machine does not need. */
function installed(name: string, from: string): string | null {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const path = join(folder, "node_modules", name);
    if (existsSync(join(path, "package.json"))) return path;
  }
  return null;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** Of Python and Java packages that users of the SDKs install themselves. Their manifests do not say it. */
const declaredLicenses: Readonly<Record<string, string>> = {
  django: "BSD-3-Clause",
  fastapi: "MIT",
  starlette: "BSD-3-Clause",
  "spring-boot-dependencies": "Apache-2.0",
  "spring-boot-starter": "Apache-2.0",
  "spring-boot-starter-web": "Apache-2.0",
};

/** What the SDKs need. They contain nothing of others: users install it. */
export function sdkPackages(): readonly Shipped[] {
  const lock: { readonly packages: Readonly<Record<string, Manifest>> } = JSON.parse(
    readFileSync(join(root, "sdks/package-lock.json"), "utf8"),
  );
  const ofNode = ["node", "express", "nestjs"].flatMap((sdk) => {
    const { dependencies, peerDependencies } = manifestIn(join(root, "sdks", sdk));
    return Object.keys({ ...dependencies, ...peerDependencies })
      .filter((name) => !name.startsWith("@countersign/"))
      .map((name) => {
        const { version = "", license = "none" } = lock.packages[`node_modules/${name}`] ?? {};
        return { name, version, license, usedBy: `sdks/${sdk}` };
      });
  });
  const declared = (usedBy: string, names: readonly string[]) =>
    names.map((name) => ({ name, version: "", license: declaredLicenses[name] ?? "none", usedBy }));
  const python = Bun.TOML.parse(readFileSync(join(root, "sdks/python/pyproject.toml"), "utf8")) as {
    readonly project: {
      readonly dependencies: readonly string[];
      readonly "optional-dependencies": Readonly<Record<string, readonly string[]>>;
    };
  };
  const { dependencies, "optional-dependencies": extras } = python.project;
  const ofPython = [...dependencies, ...Object.values(extras).flat()].map(
    (text) => /^[\w.-]+/.exec(text)?.[0]?.toLowerCase() ?? text,
  );
  return [
    ...ofNode,
    ...declared("sdks/python", ofPython),
    ...["java", "java-spring"].flatMap((sdk) => declared(`sdks/${sdk}`, mavenDependencies(sdk))),
  ];
}

function mavenDependencies(sdk: string): string[] {
  const text = readFileSync(join(root, "sdks", sdk, "pom.xml"), "utf8");
  return [...text.matchAll(/<dependency>([\s\S]*?)<\/dependency>/g)]
    .map(([, inside = ""]) => inside)
    .filter((inside) => !inside.includes("<scope>test</scope>"))
    .map((inside) => /<artifactId>([^<]+)</.exec(inside)?.[1] ?? "")
    .filter((name) => !name.startsWith("countersign-"));
}

/** One of several alternatives is enough; of several together, each must be allowed. */
export function isAllowed(license: string): boolean {
  const alternatives = license.replace(/^\((.*)\)$/, "$1").split(" OR ");
  return alternatives.some((one) => one.split(" AND ").every((name) => allowedLicenses.includes(name)));
}

/** Texts of licenses, for packages that contain none. */
const standardTexts: Readonly<Record<string, (author: string) => string>> = {
  MIT: (author) => `Copyright (c) ${author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
  ISC: (author) => `Copyright (c) ${author}

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.`,
};

/** The notices of a package: its license, and what it wants to be passed on with it. */
function textOf({ folder, name, license, author }: InstalledPackage): string {
  const files = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort();
  if (files.length > 0)
    return files
      .map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim())
      .join("\n\n");
  const text = standardTexts[license];
  if (text === undefined) throw new Error(`${name} contains no text of its license, ${license}.`);
  return text(author);
}

const line = "-".repeat(80);

/** Every notice, each text once, with the packages that it belongs to. */
export function noticesText(): string {
  const named = new Map<string, string[]>();
  for (const one of shippedPackages()) {
    const text = textOf(one);
    named.set(text, [...(named.get(text) ?? []), `${one.name} ${one.version} (${one.license})`]);
  }
  const apache = readFileSync(join(root, "LICENSE"), "utf8").trim();
  const sections = [...named].map(([text, names]) => `${names.join("\n")}\n\n${text}`);
  const ofRuntime = runtimeNotice(manifestIn(join(root, "node_modules/bun")).version);
  return [opening, ofRuntime, scalarNotice, `Countersign (Apache-2.0)\n\n${apache}`, ...sections]
    .join(`\n\n${line}\n\n`)
    .concat("\n");
}

const opening = `Countersign contains software of others. These are their notices.

The server, the dashboard and the documentation contain parts of the packages below. The executable contains the runtime Bun, too.`;

/** The runtime's package contains no notices, so those of its parts are named here. */
function runtimeNotice(version: string): string {
  return `Bun ${version} (MIT), in the executable, unchanged

The executable contains the published program of Bun, which is licensed under the MIT license and statically linked with
the libraries below. The texts of their licenses are in the repository of Bun, https://github.com/oven-sh/bun, and in
those that its LICENSE.md links to, at the tag bun-v${version}.

JavaScriptCore and other parts of WebKit are licensed under the LGPL-2. Their source is in
https://github.com/oven-sh/webkit, and LICENSE.md describes how to build Bun with a changed version. To build this
executable with it, pass its path to apps/server/build-executable.ts instead of that of the published one.

LGPL-2.1: tinycc
Apache-2.0: simdutf, uSockets, uWebSockets, highway, parts of TigerBeetle, and with the LLVM exception libc++abi
MIT: brotli, ls-hpack, ls-qpack, lsquic (parts BSD-3-Clause), mimalloc, picohttpparser, c-ares, libuv, libdeflate, uucode
BSD-2-Clause: base64, libspng
BSD-3-Clause: lol-html, libwebp, zstd, libjpeg-turbo (parts IJG and Zlib)
Zlib: zlib-ng
Several licenses each: BoringSSL, libarchive, ICU
Public domain: SQLite
MIT, modules that stand in for those of Node.js: acorn, acorn-walk, assert, browserify-zlib, buffer,
constants-browserify, crypto-browserify, domain-browser, events, https-browserify, os-browserify, path-browserify,
process, punycode, querystring-es3, stream-browserify, stream-http, string_decoder, timers-browserify, tty-browserify,
url, util, vm-browserify`;
}

if (import.meta.main && process.argv.includes("--text")) {
  process.stdout.write(noticesText());
} else if (import.meta.main) {
  const all = [...shippedPackages(), ...sdkPackages()];
  const width = Math.max(...all.map(({ name, version }) => name.length + version.length + 1));
  for (const { name, version, license, usedBy } of all)
    process.stdout.write(`${`${name} ${version}`.padEnd(width)}  ${license.padEnd(18)}  ${usedBy}\n`);
  const refused = all.filter(({ license }) => !isAllowed(license));
  for (const { name, license } of refused)
    process.stderr.write(
      `${name} has the license "${license}", which is not in allowedLicenses of scripts/notices.ts.\n`,
    );
  process.exitCode = refused.length > 0 ? 1 : 0;
}
