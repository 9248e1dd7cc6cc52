import type { TestDatabase } from "../support/databases.ts";
import { startServerProcess } from "../support/server-process.ts";
import { within } from "../support/until.ts";
import { holds } from "./assert-holds.ts";
import { checkConsistency, checkRequestLog } from "./consistency-check.ts";
import { makeSubjects } from "./subjects.ts";
import { Traffic } from "./traffic.ts";

/** Terminates the server under load. It answers every accepted request and then exits. */
export async function terminateUnderLoad(
  make: () => Promise<TestDatabase>,
  size: { rounds: number; callers: number; endsWithinMs: number },
): Promise<string> {
  const database = await make();
  const subjects = await makeSubjects(database.location, 20);
  const traffic = new Traffic(subjects.all);
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
    await checkConsistency(database.location, subjects, traffic);
    await checkRequestLog(database.location, traffic);
  } finally {
    await traffic.stop();
    database.remove();
  }
  return `${size.rounds} stops, ${traffic.sent} sent, ${traffic.acknowledged} answered, ${traffic.lostFresh} reset before they were accepted, slowest end ${slowestEndMs.toFixed()} ms`;
}
