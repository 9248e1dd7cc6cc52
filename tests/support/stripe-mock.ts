import { spawn } from "node:child_process";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { afterAllFiles } from "./shared-resources.ts";
import { until } from "./until.ts";

const { ensureStripeMock, howToGetStripeMock: reason } = await import(
  join(import.meta.dir, "../../scripts/stripe-mock.mjs")
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
    const { url, hasEnded, howItEnded, stop } = await start();
    await until(
      "Stripe's test server answers or ends",
      async () => hasEnded() || (await answers(url)) || hasEnded(),
      startMs,
    );
    if (!hasEnded()) {
      afterAllFiles.push(stop);
      return url;
    }
    const reason = `Stripe's test server ended before it answered, with ${await howItEnded()}`;
    if (performance.now() > deadlineMs) throw new Error(reason);
    process.stderr.write(`${reason}\nIt is started again.\n`);
  }
}

interface Started {
  readonly url: string;
  hasEnded(): boolean;
  /** Its exit code, and the end of what it wrote. */
  howItEnded(): Promise<string>;
  stop(): Promise<void>;
}

async function start(): Promise<Started> {
  const port = await freePort();
  // It serves HTTPS too, which nothing here uses: at a fixed port, only one of them could run at a time.
  const addresses = ["-http-addr", `127.0.0.1:${port}`, "-https-addr", `127.0.0.1:${await freePort()}`];
  const words = [stripeMockPath ?? "", ...addresses];
  const child = spawn("sh", ["-c", untilInputCloses, "sh", ...words], {
    stdio: ["pipe", "ignore", "pipe"],
    detached: true,
  });
  child.unref();
  let written = "";
  child.stderr.on("data", (chunk) => {
    written = (written + chunk).slice(-1_000);
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  const howItEnded = async () => {
    await ended;
    return `exit code ${child.exitCode}: ${written}`;
  };
  return { url: `http://127.0.0.1:${port}`, hasEnded: () => child.exitCode !== null, howItEnded, stop };
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

/** Stops it when standard input closes, which the operating system ensures however this process ends. */
const untilInputCloses = `
  exec 3<&0
  "$@" & server=$!
  ( cat <&3 > /dev/null; kill -9 $server ) &
  wait $server
`;
