import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { allSources } from "../../docs/.vitepress/pages.ts";
import { skipWithReason } from "../support/skip.ts";
import { type Block, blocksOf, placeOf } from "./blocks.ts";
import {
  type Account,
  filledIn,
  newAccount,
  openSharedServer,
  type SharedServer,
  variablesOf,
} from "./page-account.ts";
import {
  compileJava,
  compileTypeScript,
  isInstalled,
  type Program,
  runJava,
  runPython,
  runTypeScript,
  type Surroundings,
} from "./programs.ts";
import { runPage } from "./run-page.ts";
import { caddyFaults, faultsOf } from "./settings.ts";

// Most of it is waiting for the turn of a page.
setDefaultTimeout(300_000);

const root = join(import.meta.dir, "../..");
const pages = [
  ...allSources().filter((source) => source.startsWith("docs/") && !source.startsWith("docs/decisions/")),
  "README.md",
  "sdks/README.md",
];
const blocks = pages.flatMap(blocksOf);
/** Is only shown: drawings, and what a command prints. */
const isShown = ({ language }: Block) => language === "text" || language === "csv";
/** The tests of the SDKs compile or run these. */
const isOfSdk = ({ page, language }: Block) =>
  page.startsWith("docs/sdks/") && ["ts", "js", "java"].includes(language);
const own = blocks.filter((block) => block.runBy === null && !isShown(block) && !isOfSdk(block));
const of = (...languages: string[]) => own.filter(({ language }) => languages.includes(language));

/** What has become of each block. */
const [run, checked] = [new Set<Block>(), new Set<Block>()];
afterAll(() => {
  const count = (isCounted: (block: Block) => boolean) => blocks.filter(isCounted).length;
  const sum = [
    `${run.size} run`,
    `${count((block) => checked.has(block) && !run.has(block))} checked`,
    `${count((block) => block.runBy !== null || isOfSdk(block))} run or compiled by other tests`,
    `${count((block) => block.notRun !== null && !checked.has(block))} not run, each with its reason`,
  ];
  process.stdout.write(`Blocks in documents: ${sum.join(", ")}.\n`);
});
const add = (to: Set<Block>, list: readonly Block[]) => {
  for (const block of list) to.add(block);
};

let shared: SharedServer;
beforeAll(async () => {
  shared = await openSharedServer();
});
afterAll(() => shared?.close());

test("every block is in a language that is checked, with a reason if it is not run", () => {
  const known = ["sh", "json", "yaml", "ts", "js", "python", "java", "xml", "http", "caddyfile", "ini"];
  expect(own.filter(({ language }) => !known.includes(language)).map(placeOf)).toEqual([]);
  expect(blocks.filter(({ notRun }) => notRun?.trim() === "").map(placeOf)).toEqual([]);
});

test("a test that runs a block instead of this one reads its page", () => {
  const elsewhere = blocks.filter(({ runBy }) => runBy !== null);
  const wrong = elsewhere.filter(({ runBy, page }) => !readsPage(String(runBy), page));
  expect(wrong.map(placeOf)).toEqual([]);
});

/** Itself, or with a file of the tests that it imports. */
function readsPage(file: string, page: string): boolean {
  if (!existsSync(join(root, file))) return false;
  const text = readFileSync(join(root, file), "utf8");
  const imported = [...text.matchAll(/from "\.\.\/(support\/[\w-]+\.ts)"/g)];
  const texts = [
    text,
    ...imported.map(([, path]) => readFileSync(join(root, "tests", String(path)), "utf8")),
  ];
  return texts.some((one) => one.includes(basename(page)));
}

describe("commands", () => {
  // An answer with a hidden command is that command's.
  const toRun = Map.groupBy(
    own.filter(
      ({ language, before, notRun }) =>
        notRun === null && (language === "sh" || (language === "json" && before !== "")),
    ),
    ({ page }) => page,
  );

  test("those that are not run are correct for the shell", () => {
    const notRun = of("sh").filter((block) => block.notRun !== null);
    // Bash parses a function without running it.
    const script =
      'while IFS= read -r -d "" place && IFS= read -r -d "" text; do eval "parsed() { $text\n}" 2>&1 || echo "$place"; done';
    const input = notRun.flatMap((block) => [placeOf(block), block.text]).map((text) => `${text}\0`);
    const { stdout, status } = spawnSync("bash", ["-c", script], { input: input.join(""), encoding: "utf8" });
    expect([status, stdout]).toEqual([0, ""]);
  });

  // The commands write to one database, and wait for each other's locks: all at once, some would wait too long.
  const maxAtOnce = 4;
  const running: Promise<unknown>[] = [];
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = (running[running.length - maxAtOnce] ?? Promise.resolve()).then(work);
    running.push(result.catch(() => {}));
    return result;
  };

  test.concurrent.each([...toRun])(
    "those of %s run one after the other, and print what the page says",
    async (page, list) => {
      expect(await inTurn(() => runPage(shared, page, list))).toEqual([]);
      add(run, list);
    },
  );
});

describe("data and settings", () => {
  test("are correct in their language", () => {
    const wrong = own.flatMap((block) => {
      const faults = faultsOf(block);
      if (faults !== null) checked.add(block);
      return faults ?? [];
    });
    expect(wrong).toEqual([]);
  });

  test("requests to the management API succeed", async () => {
    const requests = of("http").filter(({ text }) => /^\w+ \/api\//.test(text));
    expect(requests).not.toBeEmpty();
    for (const block of requests) {
      const { productId, organizationId, token } = await newAccount(shared);
      const [, method = "", path = "", body = ""] = /^(\w+) (\S+)\n\n([\s\S]*)$/.exec(block.text) ?? [];
      const filled = path.replace("{product_id}", productId).replace("{organization_id}", organizationId);
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const answer = await fetch(shared.url + filled, { method, headers, body });
      expect([placeOf(block), answer.ok, answer.ok ? "" : await answer.text()]).toEqual([
        placeOf(block),
        true,
        "",
      ]);
      run.add(block);
    }
  });

  const caddyfiles = of("caddyfile");
  if (isInstalled("caddy", "version"))
    test.each(caddyfiles.map((block) => [placeOf(block), block] as const))(
      "Caddy accepts its settings at %s",
      (_, block) => {
        expect(caddyFaults(block)).toBe("");
        checked.add(block);
      },
    );
  else
    skipWithReason(
      "Caddy accepts its settings",
      "it needs Caddy. Install it (on Debian: apt-get install caddy).",
    );
});

describe("programs", () => {
  const compiler = join(root, "node_modules", `.snippets-${process.pid}`);
  const folder = mkdtempSync(join(tmpdir(), "countersign-programs-"));
  let account: Account;
  let surroundings: Surroundings;
  /** A product that signs, with one license. */
  const licenseKey = "ABCD-EFGH-JKMN-PQRS";
  beforeAll(async () => {
    account = await newAccount(shared);
    const { api, productId } = account;
    await api.patch(`/products/${productId}`, { signed_validation: true });
    await api.post(`/products/${productId}/licenses`, {
      license_key: licenseKey,
      customer_email: "ada@example.com",
    });
    const { body } = await api.post(`/products/${productId}/reveal-signing-secret`, {});
    const environment = {
      ...variablesOf(account, shared.url),
      HOME: folder,
      COUNTERSIGN_SIGNING_SECRETS: body.current.secret,
      COUNTERSIGN_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 1).toString("base64")}`,
      LICENSE_KEY: licenseKey,
    };
    surroundings = { folder, environment };
  });
  afterAll(() => {
    for (const one of [compiler, folder]) rmSync(one, { recursive: true, force: true });
  });
  const programsOf = (list: readonly Block[]): Program[] =>
    list
      .filter(({ notRun }) => notRun === null)
      .map((block) => ({ block, text: filledIn(block.text, account, shared.url) }));

  test("those in TypeScript and JavaScript compile against the SDK, and run", async () => {
    const list = of("ts", "js");
    const programs = programsOf(list);
    const [faults, failures] = await Promise.all([
      compileTypeScript(list, compiler),
      runTypeScript(programs, surroundings),
    ]);
    expect([...faults, ...failures]).toEqual([]);
    add(checked, list);
    add(
      run,
      programs.map(({ block }) => block),
    );
  });

  const noPython = isInstalled("python3")
    ? null
    : "it needs Python. Install it (on Debian: apt-get install python3).";
  whenInstalled(noPython, "those in Python run, or compile", async () => {
    const list = of("python");
    const programs = programsOf(list);
    expect(
      await runPython(
        programs,
        list.filter(({ notRun }) => notRun !== null),
        surroundings,
      ),
    ).toEqual([]);
    add(checked, list);
    add(
      run,
      programs.map(({ block }) => block),
    );
  });

  const noJava = isInstalled("javac")
    ? null
    : "it needs a JDK, 11 or newer (on Debian: apt-get install default-jdk-headless).";
  whenInstalled(noJava, "those in Java compile, and run", async () => {
    const list = of("java");
    const programs = programsOf(list);
    expect(await compileJava(programs, folder)).toBe("");
    add(checked, list);
    for (const { block, text } of programs) {
      const [, name] = /public class (\w+)[\s\S]*static void main\(/.exec(text) ?? [];
      if (name === undefined) continue;
      const { status, output, errors } = await runJava(name, surroundings);
      expect([placeOf(block), status, errors]).toEqual([placeOf(block), 0, ""]);
      expect(output).not.toBeEmpty();
      run.add(block);
    }
  });

  function whenInstalled(missing: string | null, name: string, work: () => Promise<void>) {
    if (missing === null) test(name, work);
    else skipWithReason(name, missing);
  }
});
