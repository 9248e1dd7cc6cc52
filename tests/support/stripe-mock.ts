import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { startProgram } from "./program.ts";
import { afterAllFiles } from "./shared-resources.ts";
import { until } from "./until.ts";

const { ensureStripeMock, howToGetStripeMock: reason } = await import(
  join(import.meta.dir, "../../scripts/test-programs.mjs")
);

/** Null if it is not installed and cannot be. */
export const stripeMockPath: string | null = ensureStripeMock();
export const howToGetStripeMock: string = reason;

/** It reads the description of all of Stripe's API first, which takes a while on a busy machine. */
const startMs = 160_000;

let running: Promise<string> | null = null;

/**
 * The URL of Stripe's own test server, which the test files of a process share. It checks every request against the
 * description of Stripe's API, keeps nothing, and answers with examples.
 */
export function stripeMock(): Promise<string> {
  running ??= startUntilItAnswers();
  return running;
}

/**
 * Another start takes another port: between the choice of a port and its use, another process can take it. A server that
 * is only slow is waited for, because another start would be no faster.
 */
async function startUntilItAnswers(): Promise<string> {
  const deadlineMs = performance.now() + startMs;
  for (;;) {
    const address = `127.0.0.1:${await freePort()}`;
    // It serves HTTPS too, which nothing here uses: at a fixed port, only one of them could run at a time.
    const addresses = ["-http-addr", address, "-https-addr", `127.0.0.1:${await freePort()}`];
    const program = startProgram(stripeMockPath ?? "", addresses);
    const url = `http://${address}`;
    const answers = () => fetch(url).catch(() => null);
    const settled = async () => program.end !== null || (await answers()) !== null;
    await until("Stripe's test server answers or ends", settled, startMs);
    if (program.end === null) {
      afterAllFiles.push(program.stop);
      return url;
    }
    const { code, errors } = program.end;
    const reason = `Stripe's test server ended before it answered, with exit code ${code}: ${errors}`;
    if (performance.now() > deadlineMs) throw new Error(reason);
    process.stderr.write(`${reason}\nIt is started again.\n`);
  }
}
