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
const startMs = 40_000;
const mostStarts = 4;

let running: Promise<string> | null = null;

/**
 * The URL of Stripe's own test server, which the test files of a process share. It checks every request against the
 * description of Stripe's API, keeps nothing, and answers with examples.
 */
export function stripeMock(): Promise<string> {
  running ??= startUntilItAnswers();
  return running;
}

/** Another start takes another port: between the choice of a port and its use, another process can take it. */
async function startUntilItAnswers(): Promise<string> {
  for (let starts = 1; ; starts++) {
    const { url, stop } = await start();
    try {
      await until("Stripe's test server answers", () => answers(url), startMs);
      afterAllFiles.push(stop);
      return url;
    } catch (error) {
      await stop();
      if (starts === mostStarts) throw error;
    }
  }
}

async function start(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const port = await freePort();
  const words = [stripeMockPath ?? "", "-http-addr", `127.0.0.1:${port}`];
  const child = spawn("sh", ["-c", untilInputCloses, "sh", ...words], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  child.unref();
  const ended = new Promise((resolve) => child.on("close", resolve));
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  return { url: `http://127.0.0.1:${port}`, stop };
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
