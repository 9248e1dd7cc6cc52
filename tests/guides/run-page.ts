import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { freePort } from "../support/free-port.ts";
import { addPortalPerson } from "../support/portal-rows.ts";
import { type Block, blocksOf, differences, exampleOf, placeOf, printedJson } from "./blocks.ts";
import { type Account, filledIn, newAccount, type SharedServer, variablesOf } from "./page-account.ts";

const root = join(import.meta.dir, "../..");
/** The server as `npm test` has built it, or its sources. */
const program = process.env.COUNTERSIGN_TEST_SERVER ?? join(root, "apps/server/main.ts");
const countersign = /\.[jt]s$/.test(program) ? `'${process.execPath}' '${program}'` : `'${program}'`;

/** The page that sets the variables and `json`, which the test sets on the others. */
const pageOfVariables = "docs/reference/variables.md";

/**
 * Runs the commands of a page in one shell, in an empty folder, and returns what went wrong. Pages share a server, each
 * with an organization of its own, except those that start one.
 */
export async function runPage(shared: SharedServer, page: string, list: readonly Block[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-page-"));
  const account = await newAccount(shared);
  const tools = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => answerTool(request, shared, account),
  });
  try {
    const startsServer = list.some(
      ({ background, text }) => background !== null && /\b(start|serve)$/m.test(text),
    );
    const server = startsServer ? `http://127.0.0.1:${await freePort()}` : shared.url;
    const fixedPorts = { 4000: await freePort(), 4010: await freePort() };
    const here = (text: string) =>
      filledIn(text, account, server).replaceAll(/\b(4000|4010)\b/g, (port) =>
        String(fixedPorts[Number(port) as keyof typeof fixedPorts]),
      );
    const createsAccount = list.some(({ text }) => /countersign (?:-- )?setup/.test(text));
    const environment = {
      CHECKOUT: root,
      TOOLS: `http://127.0.0.1:${tools.port}`,
      ADMIN_TOKEN: shared.adminToken,
      PORT: new URL(server).port,
      ...(startsServer ? {} : { COUNTERSIGN_DATA: String(shared.environment.COUNTERSIGN_DATA) }),
      ...(createsAccount ? {} : variablesOf(account, server)),
    };
    const steps = list.map((block, index) => stepOf(block, join(folder, String(index)), here));
    const parts = ["set -euo pipefail", functions, page === pageOfVariables ? "" : quickFunctions, ...steps];
    const work = join(folder, "work");
    mkdirSync(work);
    const status = await shell(work, `${parts.join("\n")}\n`, environment);
    const printed = (index: number, name: "before" | "out" | "err") => {
      const file = join(folder, `${index}.${name}`);
      return existsSync(file) ? readFileSync(file, "utf8") : null;
    };
    if (status !== 0) {
      const at = list.findLastIndex((_, index) => printed(index, "before") !== null);
      const block = list[at];
      const output = (["before", "out", "err"] as const).map((name) =>
        (printed(at, name) ?? "").slice(-2_000),
      );
      return [`${block === undefined ? page : placeOf(block)} ended with ${status}:\n${output.join("\n")}`];
    }
    const all = blocksOf(page);
    return list.flatMap((block, index) => {
      const output = printed(index, "out") ?? "";
      const refused = unexpectedStatuses(block, printed(index, "err") ?? "", printed(index, "before") ?? "");
      if (block.language === "json") return [...refused, ...asShown(block, output)];
      const next = all[all.findIndex(({ line }) => line === block.line) + 1];
      const isAnswer = next?.language === "json" && next.notRun === null && next.before === "";
      return isAnswer ? [...refused, ...asShown(next, output)] : refused;
    });
  } finally {
    await tools.stop(true);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A request that is refused does not fail a command. So each one says what it got. */
const functions = `countersign() { ${countersign} "$@"; }
npm() { case "$*" in start) countersign serve;; "run --silent countersign "*) countersign "\${@:5}";; *) command npm "$@";; esac; }
curl() { command curl -w '%{stderr}HTTP %{http_code} %{method} %{url_effective}\\n' "$@"; }
transfer_request() { command curl -sSf "$TOOLS/transfer"; }
export -f countersign npm curl transfer_request`;

/** Starting Node.js for each value would take longer than everything else. */
const quickFunctions = `json() { command curl -sSf --data-binary @- -H "Expression: $1" "$TOOLS/json"; }
node() { '${process.execPath}' "$@"; }
export -f json node`;

async function answerTool(request: Request, shared: SharedServer, account: Account): Promise<Response> {
  switch (new URL(request.url).pathname) {
    case "/json": {
      const expression = `value.${request.headers.get("expression")}`;
      const value: unknown = runInNewContext(expression, { value: await request.json() });
      return new Response(`${typeof value === "string" ? value : inspect(value)}\n`);
    }
    case "/transfer":
      return new Response(await requestedTransfer(shared, account));
    default:
      return new Response(null, { status: 404 });
  }
}

/** The ID of a transfer that a customer has requested in the portal, which no command can. */
async function requestedTransfer({ url, store }: SharedServer, { api, productId }: Account): Promise<string> {
  const email = `ada-${crypto.randomUUID()}@example.com`;
  const { body } = await api.post(`/products/${productId}/licenses`, { customer_email: email });
  const { cookie } = await addPortalPerson(store, { emails: [email] });
  const answer = await fetch(`${url}/api/portal/v1/licenses/${body.id}/transfers`, {
    method: "POST",
    headers: { cookie, origin: url, "content-type": "application/json" },
    body: JSON.stringify({ email: "grace@example.com" }),
  });
  const { id } = (await answer.json()) as { id?: string };
  if (id === undefined) throw new Error(`No transfer was requested: ${answer.status}`);
  return id;
}

/**
 * The commands of a block. What they print is what the page shows; it is kept apart from that of the commands that
 * arrange it.
 */
function stepOf(block: Block, files: string, here: (text: string) => string): string {
  const { before, text } = block.language === "sh" ? block : { before: "", text: block.before };
  const prepare = `exec 1>'${files}.before' 2>&1\n${here(before)}\nexec 1>'${files}.out' 2>'${files}.err'`;
  if (block.exitCode !== null)
    return `${prepare}\nset +e\n${here(text)}\nended=$?\nset -e\n[ $ended = ${block.exitCode} ]`;
  if (block.background === null) return `${prepare}\n${here(text)}`;
  const isReady = here(block.background);
  return `${prepare}
OUTPUT='${files}.out'
{ ${here(text)}
} < <(sleep 100) &
for attempt in {1..200}; do if ${isReady} > /dev/null 2>&1; then break; fi; sleep 0.1; done
${isReady} > /dev/null`;
}

/** All requests of a block succeed, except those that it says get another status. */
function unexpectedStatuses(block: Block, errors: string, errorsBefore: string): string[] {
  const refused = (text: string) =>
    [...text.matchAll(/^HTTP ([045]\d\d) (.*)$/gm)].map(([, status = "", what]) => ({ status, what }));
  const unexpected = [
    ...refused(errorsBefore),
    ...refused(errors).filter(({ status }) => !block.statuses.includes(status)),
  ].map(({ status, what }) => `${placeOf(block)}: ${what} got ${status}`);
  const got = new Set(refused(errors).map(({ status }) => status));
  const missing = block.statuses.filter((status) => !got.has(status));
  return [...unexpected, ...missing.map((status) => `${placeOf(block)}: no request got ${status}`)];
}

/** The last JSON that a command has printed, compared with the block after it. */
function asShown(example: Block, output: string): string[] {
  const last = printedJson(output).at(-1);
  if (last === undefined) return [`${placeOf(example)}: nothing like it is printed: ${output.slice(0, 500)}`];
  return differences(exampleOf(example), last).map(
    (difference) => `${placeOf(example)}: ${difference} in ${output.slice(0, 500)}`,
  );
}

/** The exit code of a script. What it has left running in the background is ended. */
function shell(cwd: string, script: string, environment: Readonly<Record<string, string>>) {
  return new Promise<number | null>((resolve) => {
    const { PATH = "" } = process.env;
    const child = spawn("bash", ["-c", script], {
      cwd,
      env: { PATH, HOME: cwd, LANG: "C.UTF-8", ...environment },
      stdio: "ignore",
      detached: true,
    });
    const endAll = () => {
      try {
        process.kill(-(child.pid ?? 0), "SIGKILL");
      } catch {
        // Nothing of it runs any more.
      }
    };
    const overdue = setTimeout(endAll, 90_000);
    child.on("exit", (status) => {
      clearTimeout(overdue);
      endAll();
      resolve(status);
    });
  });
}
