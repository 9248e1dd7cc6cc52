import type { TestDatabase } from "../support/databases.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { holds } from "./assert-holds.ts";
import { checkConsistency } from "./consistency-check.ts";
import { makeSubjects } from "./subjects.ts";
import { Traffic } from "./traffic.ts";

/** Kills the server under load repeatedly. No acknowledged write may be lost. */
export async function killUnderLoad(
  make: () => Promise<TestDatabase>,
  size: { kills: number; callers: number; licenses: number; readyWithinMs: number },
): Promise<string> {
  const database = await make();
  const subjects = await makeSubjects(database.location, size.licenses);
  const traffic = new Traffic(subjects.all);
  const startsMs: number[] = [];
  try {
    for (let kill = 0; kill <= size.kills; kill++) {
      const startedMs = performance.now();
      const server = await startServerProcess(database.environment);
      try {
        await until("the server is ready", async () => (await fetch(`${server.url}/readyz`)).ok, 30_000);
        startsMs.push(performance.now() - startedMs);
        // The server has recovered the database. It is checked before anything is added.
        await checkConsistency(database.location, subjects, traffic);
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
