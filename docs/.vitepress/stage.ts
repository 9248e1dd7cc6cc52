import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { addressOf, allSources, type Page, pathOf, readSource, sections } from "./pages.ts";

/** A file of docs that is not a page, and is served as it is. */
const attachments = /^docs\/(grafana|examples)\/[\w./-]+$/;

/** The API reference is drawn in the browser, from the OpenAPI document. */
const apiReference = "docs/reference/api.md";

/**
 * Writes the documents into a folder as VitePress wants them: index.md instead of README.md, links by their address on
 * the site, a description for search engines, and without the comments that arrange tests of the examples.
 */
export function stagePages(folder: string): void {
  cpSync(join(import.meta.dirname, "../public"), join(folder, "public"), { recursive: true });
  const pages = new Map(sections().flatMap((section) => section.pages.map((page) => [page.source, page])));
  for (const source of allSources()) {
    const path = join(folder, `${pathOf(source)}.md`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, staged(source, pages.get(source)));
  }
}

function staged(source: string, page: Page | undefined): string {
  const isReference = source === apiReference;
  const isList = source.endsWith("/README.md") && !source.startsWith("docs/decisions/");
  const head = {
    ...(page?.description ? { description: page.description } : {}),
    ...(isList ? { aside: false, pageClass: "list-of-pages" } : {}),
    // Noise for those who use Countersign, and most of all words.
    ...(/^(docs\/decisions\/|CHANGELOG)/.test(source) ? { search: false } : {}),
    ...(isReference
      ? {
          layout: "page",
          pageClass: "api-reference-page",
          sidebar: false,
          title: page?.title,
        }
      : {}),
  };
  const text = isReference ? "" : markdownOf(source, inBothThemes);
  return `---\n${JSON.stringify(head)}\n---\n\n${isList ? asCards(text) : text}`;
}

/** The title of a page on one line and what is said about it on the next. */
function asCards(text: string): string {
  return text.replaceAll(
    /^(- \[[^\]]+\]\([^)]+\)): (.)/gm,
    (_, link: string, letter: string) => `${link} ${letter.toUpperCase()}`,
  );
}

/** A document as it is on the site, for browsers and for programs that read Markdown. */
export function markdownOf(source: string, show: (picture: Picture) => string = asImage): string {
  return outsideOfBlocks(readSource(source).text, (text) =>
    text
      .replaceAll(pictures, (_, name, alt, width, height) => show({ name, alt, width, height }))
      .replaceAll(/^ *<!--[\s\S]*?-->\n/gm, "")
      .replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, image, label, target) => {
        if (image !== "" || /^(https?:|mailto:|#)/.test(target)) return whole;
        const address = siteAddress(source, target);
        return address === null ? label : `[${label}](${address})`;
      }),
  );
}

/** GitHub shows the picture of the reader's theme, and the site one of its own two. */
interface Picture {
  readonly name: string;
  readonly alt: string;
  readonly width: string;
  readonly height: string;
}

const pictures =
  /<picture>\s*<source [^>]*>\s*<img src="[^"]*\/screenshots\/([\w-]+)-light\.webp" alt="([^"]*)" width="(\d+)" height="(\d+)" loading="lazy">\s*<\/picture>/g;

function asImage({ name, alt }: Picture): string {
  return `![${alt}](/docs/screenshots/${name}-light.webp)`;
}

/** The style sheet hides one of them, and a browser does not load what is hidden. */
function inBothThemes({ name, alt, width, height }: Picture): string {
  const image = (theme: string) =>
    `<img class="in-${theme}" src="/screenshots/${name}-${theme}.webp" alt="${alt}" width="${width}" height="${height}" loading="lazy">`;
  return `<p class="picture">${image("light")}${image("dark")}</p>`;
}

/** Null for what is in the repository and not on the site. */
function siteAddress(source: string, target: string): string | null {
  const [file = "", section] = target.split("#");
  const named = normalize(join(dirname(source), file)).replaceAll("\\", "/");
  const path = pathOf(named);
  const anchor = section === undefined ? "" : `#${section}`;
  // VitePress adds the base itself.
  if (path !== null) return addressOf(path).slice("/docs".length) + anchor;
  return attachments.test(named) ? `/${named.slice("docs/".length)}` : null;
}

/** Changes the text of a document, and nothing in its blocks of code. */
function outsideOfBlocks(text: string, change: (text: string) => string): string {
  const parts = text.split(/^(```[\s\S]*?^```)$/m);
  return parts.map((part, index) => (index % 2 === 1 ? part : change(part))).join("");
}

/** `llms.txt`: what there is to read, for programs. */
export function contentsForPrograms(): string {
  const list = sections().map(({ title, pages }) => {
    const lines = pages.map(
      ({ path, title, description }) =>
        `- [${title}](/docs/${path}.md)${description === "" ? "" : `: ${description}`}`,
    );
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return `# Countersign\n\n> A license key service that you run yourself: apps ask it whether a license key is valid. It has a validation API, a management API, a dashboard, a portal for customers, webhooks, and SDKs.\n\nThe OpenAPI document of this server is at /openapi.json, that of the two calls of apps alone at /openapi/public.json. All pages in one file: /docs/llms-full.txt.\n\n${list.join("\n")}`;
}

/** `llms-full.txt`: every page but the decisions, one after the other. */
export function allForPrograms(): string {
  const pages = sections().flatMap((section) => section.pages);
  return pages
    .filter(({ source }) => !source.startsWith("docs/decisions/"))
    .map(({ source, path }) => `<!-- ${addressOf(path)} -->\n\n${markdownOf(source).trim()}\n`)
    .join("\n");
}
