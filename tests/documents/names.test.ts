import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { allCommands } from "../../apps/server/cli/command-line.ts";
import { docsSections } from "../../apps/web/ui/docs-sections.ts";
import { sections } from "../../docs/.vitepress/pages.ts";
import { listed } from "../support/listed.ts";
import { openApiDocument } from "../support/openapi-document.ts";

const root = join(import.meta.dir, "../..");
const files = new Set(
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((file) => file !== "" && existsSync(join(root, file))),
);
const folders = new Set([...files].flatMap(foldersAbove));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const documents = [...files].filter((file) => file.endsWith(".md"));
const sourceKinds = /\.(ts|tsx|mjs|py|java|json|ya?ml|toml|css)$/;
const words = new Set(
  [...files]
    .filter((file) => sourceKinds.test(file))
    .flatMap((file) => read(file).match(/[A-Za-z_$][\w$]*/g) ?? []),
);

/** A path can be written from the root, or from the part of the project that the text is about. */
const starts = ["", "packages/", "apps/", "sdks/", "docs/", "tests/"].concat(
  ["domain", "contract", "store", "store/queries"].map((name) => `packages/${name}/`),
  ["server", "server/features", "web", "web/features"].map((name) => `apps/${name}/`),
);

/** Built or created while the project is used. */
const made = listed(
  `apps/server/dist apps/web/dist apps/server/dist/main.js tests/artifacts data ./data example
  dist/countersign-linux-x64 ./countersign-linux-x64 dist/SHA256SUMS deploy/compose/countersign.env
  docs/.vitepress/dist dist/THIRD_PARTY_NOTICES.txt`,
);

/** Of other programs: PostgreSQL, Kubernetes, systemd, container engines, OpenTelemetry and libraries. */
const elsewhere = listed(`
  http/protobuf http/json pg_amcheck archive_command archive_timeout restore_command recovery_target_time
  TimeoutStopSec terminationGracePeriodSeconds stop_grace_period ServiceMonitor trusted_proxies EnvHttpProxyAgent
  application/x-ndjson countersign-java/0.2.0`);

test("every file and folder that a document names exists", () => {
  const isPath = (code: string) =>
    /^[\w.-]+(\/[\w.-]+)*\/?$/.test(code) && (code.includes("/") || /\.(ts|tsx|mjs|md)$/.test(code));
  expect(missing(isPath, (code, document) => exists(code.replace(/\/$/, ""), document))).toEqual([]);
});

test("every file and folder on the map of ARCHITECTURE.md exists", () => {
  const [, map = ""] = /^```\n([\s\S]*?)^```/m.exec(read("ARCHITECTURE.md")) ?? [];
  let base = "";
  const named = map.split("\n").flatMap((line) => {
    const [, indent = "", names = ""] = /^( {0,2})(\S.*?)(?: {2,}|$)/.exec(line) ?? [];
    if (indent === "" && names !== "") base = names.includes(" ") ? "" : names;
    return names
      .split(" ")
      .filter((name) => name !== "")
      .map((name) => (indent === "" ? name : base + name));
  });
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("every document, and every section of one, that another, a source file or the dashboard links to exists", () => {
  const linked = documents.flatMap((document) =>
    Array.from(read(document).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g), ([, target = ""]) => ({
      from: document,
      target: target.startsWith("#") ? document + target : join(dirname(document), target),
    })),
  );
  const mentioned = [...files]
    .filter((file) => sourceKinds.test(file))
    .flatMap((file) =>
      Array.from(read(file).matchAll(/\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g), ([target]) => ({
        from: file,
        target,
      })),
    );
  const fromDashboard = Object.values(docsSections).map((path) => ({
    from: "apps/web/ui/docs-sections.ts",
    target: `docs/${path.replace(/#|$/, ".md$&")}`,
  }));
  const broken = [...linked, ...mentioned, ...fromDashboard].filter(({ target }) => {
    const [path = "", section] = target.split("#");
    return !existsSync(join(root, path)) || (section !== undefined && !sectionsOf(path).has(section));
  });
  expect(broken.map(({ from, target }) => `${from}: ${target}`)).toEqual([]);
});

/** What a link to a document can name: its headings, as GitHub turns them into anchors, and anchors of its own. */
function sectionsOf(document: string): ReadonlySet<string> {
  const text = read(document).replaceAll(/```[\s\S]*?```/g, "");
  const headings = Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  );
  return new Set([...headings, ...Array.from(text.matchAll(/<a id="([^"]+)">/g), ([, id = ""]) => id)]);
}

test("every page of the documentation says what it is about, and where it is among its neighbours", () => {
  const all = sections();
  const pages = all.flatMap(({ pages }) => pages);
  const isPage = (file: string) => file.startsWith("docs/") && file !== "docs/README.md";
  const listed = new Set(pages.map(({ source }) => source));
  expect(documents.filter((file) => isPage(file) && !listed.has(file))).toEqual([]);
  const isDescribed = ({ source, title, description, order }: (typeof pages)[number]) =>
    read(source).includes(`\n# ${title}\n`) && /^[A-Z].*[.?]$/.test(description) && order > 0;
  const described = pages.filter(({ source }) => isPage(source) && !source.startsWith("docs/decisions/"));
  expect(described.filter((page) => !isDescribed(page)).map(({ source }) => source)).toEqual([]);
  const inFolders = described.filter(({ source }) => !source.endsWith("/README.md"));
  const places = inFolders.map(({ source, order }) => `${dirname(source)} ${order}`);
  expect(
    inFolders.filter((_, index) => places.indexOf(places[index] ?? "") !== index).map(({ source }) => source),
  ).toEqual([]);
});

test("every decision has a number of its own, and is listed under it", () => {
  const pages = documents.filter((file) => file.startsWith("docs/decisions/"));
  const anchors = pages.flatMap((page) =>
    Array.from(
      read(page).matchAll(/^<a id="d(\d+)">/gm),
      ([, number]) => `${number} ${page.split("/").at(-1)}`,
    ),
  );
  const rows = read("docs/decisions/README.md").matchAll(/^\| (\d+) \|.*\]\((.*)#d(\d+)\) \|/gm);
  const listed = Array.from(rows, ([, number, page, anchor]) =>
    number === anchor ? `${number} ${page}` : "",
  );
  expect(listed).toEqual(
    anchors.toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10)),
  );
  expect(new Set(listed.map((row) => Number.parseInt(row, 10))).size).toBe(anchors.length);
});

test("every name of code, of a setting or of a column that a document mentions occurs in the sources", () => {
  const isName = (code: string) =>
    /^([a-z]+[A-Z]\w*|([A-Z][a-z]+){2,}|[a-z]+(_[a-z]+)+|COUNTERSIGN_[A-Z_]+|\w+(?=\())(\(.*\)|=.*)?$/.test(
      code,
    );
  expect(missing(isName, (code) => words.has(/^[\w$]+/.exec(code)?.[0] ?? ""))).toEqual([]);
  // Settings also in blocks and in running text.
  const settings = mentions(/\bCOUNTERSIGN_[A-Z]\w*/g);
  expect(settings.filter(({ name }) => !words.has(name)).map(({ from, name }) => `${from}: ${name}`)).toEqual(
    [],
  );
});

test("every route that a document mentions is one", () => {
  const known = new Set(Object.keys(openApiDocument().paths).map(withoutNames));
  const ends = [...known].flatMap((path) => [
    path,
    path.replace(/^\/api\/(manage\/v1|portal\/v1|auth|v1)/, ""),
  ]);
  const isRoute = (code: string) => /^((GET|POST|PUT|PATCH|DELETE) \/|\/api\/\w+\/)[^*]*$/.test(code);
  const isThere = (code: string) => ends.includes(withoutNames(code.replace(/^[A-Z]+ /, "")));
  const found = missing(isRoute, isThere).filter(
    (line) => !notInOpenApi.some((route) => line.endsWith(`: ${route}`)),
  );
  expect(found).toEqual([]);
  // Also in blocks, with variables of a shell, and the beginnings that several routes share.
  const paths = mentions(/(?<![\w.-])\/api\/[\w/{}$<>%-]+/g).filter(({ name }) => {
    const path = withoutNames(name.replace(/\/$/, ""));
    return (
      ![...known].some((route) => route === path || route.startsWith(`${path}/`)) &&
      !notInOpenApi.includes(name)
    );
  });
  expect(paths.map(({ from, name }) => `${from}: ${name}`)).toEqual([]);
});

/** Pages and files, and what the tests of the SDKs serve. */
const notInOpenApi = ["/api/stripe/webhook", "GET /healthz", "POST /cases", "GET /suite"];

function withoutNames(path: string): string {
  return path.replaceAll(/\{[^}]*\}|<[^>]*>|\$\w+/g, "{}");
}

/** Where documents, with their blocks, have such a name. */
function mentions(pattern: RegExp): { readonly from: string; readonly name: string }[] {
  return documents.flatMap((from) => Array.from(read(from).matchAll(pattern), ([name]) => ({ from, name })));
}

test("every command that a document mentions can be run", async () => {
  const scripts = Object.keys(JSON.parse(read("package.json")).scripts);
  const commands = (await allCommands()).map(({ name }) => name);
  const unknown = documents.flatMap((document) => {
    const text = read(document);
    const run = Array.from(text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g), ([, name = ""]) => name);
    const ours = Array.from(
      text.matchAll(/\bcountersign (?:-- )?(?:countersign )?([a-z][\w-]*)/g),
      ([, name = ""]) => name,
    );
    return [
      ...run.filter((name) => !scripts.includes(name)),
      ...ours.filter((name) => !isCommand(name, commands)),
    ].map((name) => `${document}: ${name}`);
  });
  // The SDKs are packages of their own, with their own scripts.
  expect(unknown.filter((line) => !line.startsWith("sdks/"))).toEqual([]);
});

/** `events listen` and `events trigger` are commands of two words. */
function isCommand(name: string, commands: readonly string[]): boolean {
  return commands.some((command) => command === name || command.startsWith(`${name} `));
}

/** What documents set in code type, outside of blocks, and that is not there. */
function missing(
  isMeant: (code: string) => boolean,
  isThere: (code: string, document: string) => boolean,
): string[] {
  return documents.flatMap((document) => {
    const text = read(document).replaceAll(/```[\s\S]*?```/g, "");
    return Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = ""]) => code)
      .filter((code) => isMeant(code) && !elsewhere.includes(code) && !isThere(code, document))
      .map((code) => `${document}: ${code}`);
  });
}

function exists(path: string, document: string): boolean {
  const isKnown = (one: string) => files.has(one) || folders.has(one);
  return (
    made.includes(path) ||
    isKnown(normalize(join(dirname(document), path))) ||
    starts.some((start) => isKnown(start + path)) ||
    [...files].some((file) => file.endsWith(`/${path}`))
  );
}

function foldersAbove(file: string): string[] {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
