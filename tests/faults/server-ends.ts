import type { TestDatabase } from "../support/databases.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until, within } from "../support/until.ts";
import { holds } from "./assert-holds.ts";
import { checkRequestLog, openTraffic } from "./consistency-check.ts";

/** Kills the server under load repeatedly. No acknowledged write may be lost. */
export async function killUnderLoad(
  make: () => Promise<TestDatabase>,
  size: { kills: number; callers: number; licenses: number; readyWithinMs: number },
): Promise<string> {
  const database = await make();
  const traffic = await openTraffic(database.location, size.licenses);
  const startsMs: number[] = [];
  try {
    for (let kill = 0; kill <= size.kills; kill++) {
      const startedMs = performance.now();
      const server = await startServerProcess(database.environment);
      try {
        await until("the server is ready", async () => (await fetch(`${server.url}/readyz`)).ok, 30_000);
        startsMs.push(performance.now() - startedMs);
        // The server has recovered the database. It is checked before anything is added.
        await traffic.check();
        if (kill === size.kills) break;
        traffic.start(server.port, size.callers, 1);
        await traffic.flows(50 + Math.floor(Math.random() * 200));
      } finally {
        server.signal("SIGKILL");
        await server.exited;
        await traffic.stop();
      }
    }
  } finally {
    database.remove();
  }
  const sorted = startsMs.sort((a, b) => a - b);
  const [middleMs = 0, slowestMs = 0] = [sorted[sorted.length >> 1], sorted.at(-1)];
  const starts = `starts took ${middleMs.toFixed()} ms in the middle and ${slowestMs.toFixed()} ms at most`;
  holds(slowestMs <= size.readyWithinMs, `${size.readyWithinMs} ms to be ready, but ${starts}`);
  const lost = traffic.lostReused + traffic.lostFresh;
  return `${size.kills} kills, ${traffic.sent} sent, ${traffic.acknowledged} acknowledged, ${lost} cut off, ${starts}`;
}

/** Terminates the server under load. It answers every accepted request and then exits. */
export async function terminateUnderLoad(
  make: () => Promise<TestDatabase>,
  size: { rounds: number; callers: number; endsWithinMs: number },
): Promise<string> {
  const database = await make();
  const traffic = await openTraffic(database.location);
  let slowestEndMs = 0;
  try {
    for (let round = 0; round < size.rounds; round++) {
      const server = await startServerProcess(database.environment);
      traffic.start(server.port, size.callers, 0);
      await traffic.flows(100);
      const startedMs = performance.now();
      server.signal("SIGTERM");
      const code = await within(60_000, "the server ends", server.exited);
      slowestEndMs = Math.max(slowestEndMs, performance.now() - startedMs);
      await traffic.ended();
      holds(code === 0, `the server ended with ${code}`);
    }
    holds(traffic.lostReused === 0, `${traffic.lostReused} accepted requests were not answered`);
    holds(traffic.unavailable === 0, `${traffic.unavailable} accepted requests got 503`);
    holds(slowestEndMs <= size.endsWithinMs, `ended only after ${slowestEndMs.toFixed()} ms`);
    await traffic.check();
    await checkRequestLog(database.location, traffic);
  } finally {
    await traffic.stop();
    database.remove();
  }
  return `${size.rounds} stops, ${traffic.sent} sent, ${traffic.acknowledged} answered, ${traffic.lostFresh} reset before they were accepted, slowest end ${slowestEndMs.toFixed()} ms`;
}
