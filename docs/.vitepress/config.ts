import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DefaultTheme, defineConfig } from "vitepress";
import { addressOf, type Section, sections } from "./pages.ts";
import { stagePages } from "./stage.ts";

const run = join(import.meta.dirname, "run", String(process.pid));
const pages = join(run, "pages");
stagePages(pages);

const all = sections();
const mark = readFileSync(join(import.meta.dirname, "../../apps/web/public/favicon.svg"), "utf8");
/** In the page, so that the same file is the mark of the dashboard and of the site. */
const logo = `data:image/svg+xml,${encodeURIComponent(mark.trim())}`;

/** The site of the documentation, as the server serves it at /docs: nothing in it comes from another host. */
export default defineConfig({
  lang: "en",
  title: "Countersign",
  titleTemplate: ":title · Countersign",
  description: "A license key service that you run yourself.",
  base: "/docs/",
  srcDir: pages,
  outDir: join(run, "site"),
  cacheDir: join(run, "cache"),
  cleanUrls: true,
  metaChunk: true,
  // It would insert a style, which the content security policy refuses.
  appearance: { disableTransition: false },
  ignoreDeadLinks: "localhostLinks",
  head: [["link", { rel: "icon", type: "image/svg+xml", href: logo }]],
  markdown: {
    // As on GitHub, so that a link to a section works in both.
    anchor: {
      slugify: (heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, "")
          .replaceAll(" ", "-"),
    },
    // Braces are text, and not expressions of Vue.
    config: ({ renderer: { rules } }) => {
      for (const kind of ["text", "code_inline"]) {
        const render = rules[kind];
        rules[kind] = (...given) => render?.(...given).replaceAll("{{", "&#123;&#123;") ?? "";
      }
      // A column without a name has no header for those who hear the page.
      rules.th_open = (tokens, at) => (tokens[at + 1]?.content === "" ? "<td>" : "<th>");
      rules.th_close = (tokens, at) => (tokens[at - 1]?.content === "" ? "</td>" : "</th>");
    },
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    languageAlias: { caddyfile: "nginx" },
  },
  themeConfig: {
    logo,
    siteTitle: "Countersign",
    nav: [
      { text: "Guides", link: "/guides/", activeMatch: "^/guides/" },
      { text: "Operating", link: "/operating/", activeMatch: "^/operating/" },
      { text: "Reference", link: "/reference/", activeMatch: "^/reference/" },
    ].filter(({ link }) => all.some(({ pages: [first] }) => `/${first?.path}` === `${link}index`)),
    sidebar: all.map(sidebarOf),
    outline: { level: [2, 3], label: "On this page" },
    search: {
      provider: "local",
      options: {
        detailedView: true,
        _render: (source, env, markdown) => {
          const html = markdown.render(source, env);
          return env.frontmatter?.search === false ? "" : html;
        },
      },
    },
    docFooter: { prev: "Previous", next: "Next" },
    darkModeSwitchLabel: "Theme",
    returnToTopLabel: "Back to the top",
    externalLinkIcon: true,
  },
  vite: { build: { chunkSizeWarningLimit: 4096, assetsInlineLimit: 0 }, logLevel: "warn" },
});

function sidebarOf({ title, pages: [first, ...others] }: Section): DefaultTheme.SidebarItem {
  const link = (path: string) => addressOf(path).slice("/docs".length);
  if (others.length === 0) return { text: title, link: link(first?.path ?? "") };
  return {
    text: title,
    link: link(first?.path ?? ""),
    collapsed: true,
    items: others.map(({ title: text, path }) => ({ text, link: link(path) })),
  };
}
