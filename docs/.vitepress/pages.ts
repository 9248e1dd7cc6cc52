import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A document of the site. */
export interface Page {
  /** Its path in the repository. */
  readonly source: string;
  /** Its path on the site, without an ending: `operating/backups`, or `operating/index` for the first of a folder. */
  readonly path: string;
  readonly title: string;
  /** One sentence; empty for a decision and a document from elsewhere. */
  readonly description: string;
  /** Among the pages of its folder. */
  readonly order: number;
}

/** A folder, its own page first. */
export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
}

const root = join(import.meta.dirname, "../..");

/** The folders, in the order in which a new user needs them. */
const folders = ["start", "concepts", "guides", "operating", "security", "sdks", "migrating", "reference"];

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

/** What the page says between the lines `---` at its start, and the document after it. */
export function readSource(source: string): {
  readonly head: Readonly<Record<string, string>>;
  readonly text: string;
  /** Of the file, where the text starts. */
  readonly startLine: number;
} {
  const whole = readFileSync(join(root, source), "utf8");
  const [block = "", lines = ""] = /^---\n([\s\S]*?)\n---\n+/.exec(whole) ?? [];
  const pairs = lines.split("\n").map((line) => /^(\w+): (?:"(.*)"|(.*))$/.exec(line) ?? []);
  return {
    head: Object.fromEntries(pairs.map(([, name = "", quoted, plain]) => [name, quoted ?? plain ?? ""])),
    text: whole.slice(block.length),
    startLine: block.split("\n").length,
  };
}

/** The sections of the site: the folders of docs, single pages beside them, and what is for contributors. */
export function sections(): Section[] {
  const pages = allSources().map(pageOf);
  const of = (folder: string) =>
    pages
      .filter(({ source }) => dirname(source) === folder)
      .sort((one, other) => rank(one) - rank(other) || (one.title < other.title ? -1 : 1));
  const section = (list: readonly Page[]): Section[] => {
    const [first] = list;
    return first === undefined ? [] : [{ title: first.title, pages: list }];
  };
  const beside = of("docs").filter(({ path }) => path !== "index");
  const fromElsewhere = pages.filter(({ source }) => Object.hasOwn(published, source));
  return [
    ...folders
      .filter((name) => existsSync(join(root, "docs", name)))
      .flatMap((name) => section(of(`docs/${name}`))),
    ...beside.flatMap((page) => section([page])),
    { title: "Contributing", pages: [...fromElsewhere, ...of("docs/decisions")] },
  ];
}

function rank({ path, order }: Page): number {
  return path.endsWith("/index") ? -1 : order;
}

function pageOf(source: string): Page {
  const { head, text } = readSource(source);
  const [, heading = source] = /^# (.+)$/m.exec(text) ?? [];
  return {
    source,
    path: pathOf(source) ?? source,
    title: head.title ?? heading.replaceAll("`", ""),
    description: head.description ?? "",
    order: Number(head.order ?? 0),
  };
}
