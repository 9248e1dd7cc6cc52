import type { TestDatabase } from "../support/databases.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { holds } from "./assert-holds.ts";
import { checkConsistency } from "./consistency-check.ts";
import { makeSubjects } from "./subjects.ts";
import { Traffic } from "./traffic.ts";

export interface KillSize {
  readonly kills: number;
  readonly callers: number;
  readonly licenses: number;
  readonly readyWithinMs: number;
}

/** Kills the server under load repeatedly. No acknowledged write may be lost. */
export async function killUnderLoad(make: () => Promise<TestDatabase>, size: KillSize): Promise<string> {
  const database = await make();
  const subjects = await makeSubjects(database.location, size.licenses);
  const traffic = new Traffic(subjects);
  const startsMs: number[] = [];
  try {
    for (let kill = 0; kill <= size.kills; kill++) {
      const startedMs = performance.now();
      const server = await startServerProcess(database.environment);
      try {
        await untilReady(server);
        startsMs.push(performance.now() - startedMs);
        // The server has recovered the database. It is checked before anything is added.
        await checkConsistency(database.location, subjects, traffic);
        if (kill === size.kills) break;
        traffic.start(server.port, size.callers, 1);
        const enough = traffic.acknowledged + 50 + Math.floor(Math.random() * 200);
        await until("there is traffic", () => traffic.acknowledged >= enough, 60_000);
      } finally {
        server.signal("SIGKILL");
        await server.exited;
        await traffic.stop();
      }
    }
    const slowestMs = Math.max(...startsMs);
    holds(
      slowestMs <= size.readyWithinMs,
      `${size.readyWithinMs} ms to be ready, but ${startTimes(startsMs)}`,
    );
  } finally {
    database.remove();
  }
  const lost = traffic.lostReused + traffic.lostFresh;
  return `${size.kills} kills, ${traffic.sent} sent, ${traffic.acknowledged} acknowledged, ${lost} cut off, ${startTimes(startsMs)}`;
}

async function untilReady({ url }: ServerProcess): Promise<void> {
  await until("the server is ready", async () => (await fetch(`${url}/readyz`)).ok, 30_000);
}

function startTimes(startsMs: readonly number[]): string {
  const sorted = [...startsMs].sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  return `starts took ${median.toFixed()} ms in the middle and ${(sorted.at(-1) ?? 0).toFixed()} ms at most`;
}
