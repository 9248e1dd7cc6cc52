import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allSources } from "../../docs/.vitepress/pages.ts";
import { startServerProcess } from "../support/server-process.ts";
import { type Block, blocksOf, differences, placeOf, printedJson } from "./blocks.ts";

setDefaultTimeout(120_000);

const root = join(import.meta.dir, "../..");
const pages = [
  ...allSources().filter((source) => source.startsWith("docs/") && !source.startsWith("docs/decisions/")),
  "README.md",
  "sdks/README.md",
];
const blocks = pages.flatMap(blocksOf);
const counts = { run: 0, checked: 0, notRun: 0 };
afterAll(() => {
  const sum = `${counts.run} run, ${counts.checked} checked, ${counts.notRun} not run, each with its reason`;
  process.stdout.write(`Blocks in documents: ${sum}.\n`);
});

/** What the SDKs' own tests compile and run. */
const isOfSdk = ({ page }: Block) => page.startsWith("docs/sdks/");

test("every block has a language, and one that is checked", () => {
  const known = [
    "sh",
    "json",
    "yaml",
    "ts",
    "js",
    "python",
    "java",
    "xml",
    "http",
    "nginx",
    "caddyfile",
    "ini",
    "text",
    "csv",
  ];
  expect(blocks.filter(({ language }) => !known.includes(language)).map(placeOf)).toEqual([]);
  expect(blocks.filter(({ notRun }) => notRun?.trim() === "").map(placeOf)).toEqual([]);
});

describe("commands", () => {
  const shells = blocks.filter(({ language }) => language === "sh");

  test("all are correct for the shell", () => {
    const wrong = shells.flatMap((block) => {
      const { status, stderr } = spawnSync("bash", ["-n"], { input: block.text, encoding: "utf8" });
      return status === 0 ? [] : [`${placeOf(block)}: ${stderr}`];
    });
    expect(wrong).toEqual([]);
    counts.notRun += shells.filter(({ notRun }) => notRun !== null).length;
  });

  // An answer with a hidden command is that command's.
  const isRun = ({ language, before, notRun }: Block) =>
    notRun === null && (language === "sh" || (language === "json" && before !== ""));
  const toRun = Map.groupBy(blocks.filter(isRun), ({ page }) => page);
  test.concurrent.each([...toRun])(
    "those of %s run one after the other, and print what the page says",
    async (page, list) => {
      const folder = mkdtempSync(join(tmpdir(), "countersign-page-"));
      try {
        const failed = await runPage(folder, page, list);
        expect(failed).toEqual([]);
        counts.run += list.length;
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});

/** The server as `npm test` has built it, or its sources. */
const program = process.env.COUNTERSIGN_TEST_SERVER ?? join(root, "apps/server/main.ts");

/** Runs the commands of a page in one shell, in an empty folder, against a server of its own. */
async function runPage(folder: string, page: string, list: readonly Block[]): Promise<string[]> {
  const all = blocksOf(page);
  const script = list.map(({ before, text }) => `${before}\n${text}`).join("\n");
  const needsServer = /127\.0\.0\.1:3000|localhost:3000|countersign/.test(script);
  const environment = { COUNTERSIGN_DATA: join(folder, "data"), PORT: "3000" };
  const server = needsServer ? await startServerProcess({ ...environment, PORT: "0" }, program) : null;
  try {
    const here = (text: string) =>
      server === null ? text : text.replaceAll(/(?:127\.0\.0\.1|localhost):3000/g, new URL(server.url).host);
    const work = join(folder, "work");
    mkdirSync(work);
    const parts = list.map((block, index) => {
      const { before, text } = block.language === "sh" ? block : { before: "", text: block.before };
      // What is printed is what the page shows; it is kept apart from that of the commands that arrange it.
      const output = join(folder, `${index}.out`);
      return `echo ${index} > '${folder}/at'\n${here(before)}\nexec 4>&1 1>'${output}'\n${here(text)}\nexec 1>&4 4>&-`;
    });
    const functions = `countersign() { '${process.execPath}' '${program}' "$@"; }
npm() { if [[ "$*" == start ]]; then :; elif [[ "$*" == "run --silent countersign "* ]]; then shift 4; countersign "$@"; else command npm "$@"; fi; }
export -f countersign npm`;
    const result = await shell(work, `set -euo pipefail\n${functions}\n${parts.join("\n")}\n`, {
      ...environment,
      PORT: server === null ? "3000" : String(server.port),
    });
    const at = Number(existsSync(join(folder, "at")) ? readFileSync(join(folder, "at"), "utf8") : 0);
    const printed = (index: number) =>
      existsSync(join(folder, `${index}.out`)) ? readFileSync(join(folder, `${index}.out`), "utf8") : "";
    if (result.status !== 0) {
      const block = list[at];
      return [
        `${block === undefined ? page : placeOf(block)} ended with ${result.status}:\n${printed(at)}\n${result.errors.slice(-2000)}`,
      ];
    }
    return list.flatMap((block, index) => {
      if (block.language === "json") return asShown(block, printed(index));
      const next = all[all.findIndex(({ line }) => line === block.line) + 1];
      return next?.language === "json" && next.notRun === null && next.before === ""
        ? asShown(next, printed(index))
        : [];
    });
  } finally {
    await server?.stop();
  }
}

/** The last JSON that a command has printed, compared with the block after it. */
function asShown(example: Block, output: string): string[] {
  const last = printedJson(output).at(-1);
  if (last === undefined) return [];
  const shown = parsed(example);
  return differences(shown, last).map(
    (difference) => `${placeOf(example)}: ${difference} in ${output.slice(0, 500)}`,
  );
}

function shell(cwd: string, script: string, environment: Readonly<Record<string, string>>) {
  return new Promise<{ status: number | null; errors: string }>((resolve) => {
    const { PATH = "" } = process.env;
    const child = spawn("bash", ["-c", script], {
      cwd,
      env: { PATH, HOME: cwd, LANG: "C.UTF-8", ...environment },
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    let errors = "";
    child.stderr.on("data", (text) => {
      errors += text;
    });
    const overdue = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), 60_000);
    child.on("exit", (status) => {
      clearTimeout(overdue);
      try {
        // What the commands left running in the background.
        process.kill(-(child.pid ?? 0), "SIGKILL");
      } catch {
        // Nothing.
      }
      resolve({ status, errors });
    });
  });
}

/** `{…}`, a member `…` and a list that ends with `…` stand for what is left out. */
function parsed({ text }: Block): unknown {
  const complete = text
    .replaceAll(/\{\s*…\s*\}/g, "{}")
    .replaceAll(/\[\s*…\s*\]/g, "[]")
    .replaceAll(/,\s*…(?=\s*[}\]])/g, "")
    .replaceAll(/(:\s*)…/g, '$1"…"');
  return JSON.parse(complete);
}

describe("data", () => {
  test("JSON and YAML can be read", () => {
    const wrong = blocks.flatMap((block) => {
      try {
        if (block.language === "json") parsed(block);
        else if (block.language === "yaml") Bun.YAML.parse(block.text);
        else return [];
        counts.checked += 1;
        return [];
      } catch (error) {
        return [`${placeOf(block)}: ${error}`];
      }
    });
    expect(wrong).toEqual([]);
  });
});

describe("programs", () => {
  const folder = join(root, "node_modules", `.snippets-${process.pid}`);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("those in TypeScript and JavaScript compile against the SDK", () => {
    const own = blocks.filter((block) => ["ts", "js"].includes(block.language) && !isOfSdk(block));
    mkdirSync(folder, { recursive: true });
    const nameOf = (index: number) => `block-${index}.ts`;
    own.forEach(({ text, fragment }, index) => {
      writeFileSync(join(folder, nameOf(index)), `${fragment ?? ""}\n${text}\nexport {};\n`);
    });
    // Of frameworks, only the names are known here: the tests of the SDKs have them installed.
    const modules = ["express", "hono", "fastify", "@nestjs/common", "@nestjs/core"].map(
      (name) => `declare module "${name}";`,
    );
    writeFileSync(join(folder, "modules.d.ts"), modules.join("\n"));
    const sdk = (name: string, file: string) => [join(root, "sdks", name, "src", file)];
    const compilerOptions = {
      strict: true,
      noImplicitAny: false,
      noEmit: true,
      target: "ES2022",
      lib: ["ES2024", "DOM", "DOM.Iterable"],
      module: "ESNext",
      moduleResolution: "Bundler",
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: ["bun"],
      paths: {
        "@countersign/node": sdk("node", "index.ts"),
        "@countersign/node/*": sdk("node", "*/index.ts"),
        "@countersign/express": sdk("express", "index.ts"),
      },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
    const errors = stdout.split("\n").flatMap((line) => {
      const [, index, message] = /block-(\d+)\.ts(.*)$/.exec(line) ?? [];
      const block = own[Number(index)];
      return block === undefined ? [] : [`${placeOf(block)} ${message}`];
    });
    expect(errors).toEqual([]);
    counts.checked += own.length;
  });

  test("those in Python are correct", () => {
    const own = blocks.filter(({ language }) => language === "python");
    const check =
      "import sys, json\nfor place, text in json.load(sys.stdin):\n try: compile(text, place, 'exec')\n except SyntaxError as error: print(place, error)";
    const input = JSON.stringify(own.map((block) => [placeOf(block), block.text]));
    const { stdout, status } = spawnSync("python3", ["-c", check], { input, encoding: "utf8" });
    expect([status, stdout]).toEqual([0, ""]);
    counts.checked += own.length;
  });
});
