import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** A document of the site. */
export interface Page {
  /** Its path in the repository. */
  readonly source: string;
  /** Its path on the site, without an ending: `operating/backups`, or `operating/index` for the first of a folder. */
  readonly path: string;
  readonly title: string;
  /** From the list that names it; empty if there is none. */
  readonly description: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
}

const root = join(import.meta.dirname, "../..");

/** Documents outside of docs that are part of the site, in their order in its last section. */
const published: Readonly<Record<string, string>> = {
  "CONTRIBUTING.md": "contributing/index",
  "ARCHITECTURE.md": "contributing/architecture",
  "CHANGELOG.md": "contributing/changelog",
};

/** Where a document is on the site; null for one that is not part of it. */
export function pathOf(source: string): string | null {
  if (Object.hasOwn(published, source)) return published[source] ?? null;
  if (!source.startsWith("docs/") || !source.endsWith(".md")) return null;
  return source.slice("docs/".length, -".md".length).replace(/(^|\/)README$/, "$1index");
}

/** The address of a page on the server. */
export function addressOf(path: string): string {
  return `/docs/${path.replace(/(^|\/)index$/, "$1")}`;
}

/** Every document under docs, and those that are published from elsewhere. */
export function allSources(): string[] {
  const below = readdirSync(join(root, "docs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll("\\", "/"),
    )
    .filter((source) => !source.startsWith("docs/.vitepress/"));
  return [...below.sort(), ...Object.keys(published)];
}

export function readSource(source: string): string {
  return readFileSync(join(root, source), "utf8");
}

/**
 * The sections of the site. `docs/README.md` lists the folders, and the README.md of each folder its pages: so the order
 * is the same here and where the repository is read.
 */
export function sections(): Section[] {
  const listed = links("docs/README.md").map(({ source, description }) => {
    const first = page(source, description);
    return source.endsWith("/README.md")
      ? { title: first.title, pages: [first, ...pagesListedIn(source)] }
      : { title: first.title, pages: [first] };
  });
  const contributing = {
    title: "Contributing",
    pages: [
      ...Object.keys(published).map((source) => page(source, "")),
      page("docs/decisions/README.md", ""),
      ...pagesListedIn("docs/decisions/README.md"),
    ],
  };
  return [...listed, contributing];
}

function pagesListedIn(source: string): Page[] {
  return links(source)
    .filter((link) => dirname(link.source).startsWith(dirname(source)))
    .map((link) => page(link.source, link.description));
}

function page(source: string, description: string): Page {
  const [, title = source] = /^# (.+)$/m.exec(readSource(source)) ?? [];
  return { source, path: pathOf(source) ?? source, title: title.replaceAll("`", ""), description };
}

/** The documents that the list items of a document name first, with what is said about each. */
function links(source: string): { readonly source: string; readonly description: string }[] {
  const items = readSource(source).matchAll(/^[-*] \[[^\]]+\]\(([^)#\s]+\.md)\)(?:: (.*))?$/gm);
  const found = new Map<string, string>();
  for (const [, target = "", description = ""] of items) {
    const named = normalize(join(dirname(source), target)).replaceAll("\\", "/");
    if (!found.has(named) && existsSync(join(root, named))) found.set(named, description);
  }
  return [...found].map(([named, description]) => ({ source: named, description }));
}
