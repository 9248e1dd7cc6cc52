import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAllFiles } from "./after-all-files.ts";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

const { ensureStripeMock, howToGetStripeMock: reason } = await import(
  join(import.meta.dir, "../../scripts/stripe-mock.mjs")
);

/** Null if it is not installed and cannot be. */
export const stripeMockPath: string | null = ensureStripeMock();
export const howToGetStripeMock: string = reason;

/** It reads the description of all of Stripe's API first, which takes a while on a busy machine. */
const startMs = 120_000;

let running: Promise<string> | null = null;

/**
 * The URL of Stripe's own test server, which the test files of a process share. It checks every request against the
 * description of Stripe's API, keeps nothing, and answers with examples.
 */
export function stripeMock(): Promise<string> {
  running ??= start();
  return running;
}

async function start(): Promise<string> {
  const port = await freePort();
  const words = [stripeMockPath ?? "", "-http-addr", `127.0.0.1:${port}`];
  const child = spawn("sh", ["-c", untilInputCloses, "sh", ...words], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  child.unref();
  const ended = new Promise((resolve) => child.on("close", resolve));
  afterAllFiles.push(async () => {
    child.stdin.end();
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  await until(
    "Stripe's test server answers",
    () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    startMs,
  );
  return url;
}

/** Stops it when standard input closes, which the operating system ensures however this process ends. */
const untilInputCloses = `
  exec 3<&0
  "$@" & server=$!
  ( cat <&3 > /dev/null; kill -9 $server ) &
  wait $server
`;
