import { type CuttableConnection, openCuttableConnection } from "../support/cuttable-connection.ts";
import { freshDatabase, type PostgresServer, withClient } from "../support/postgres.ts";
import { freezePostgres } from "../support/postgres-processes.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { holds, holdsNone } from "./assert-holds.ts";
import { checkConsistency } from "./consistency-check.ts";
import { makeSubjects } from "./subjects.ts";
import { Traffic } from "./traffic.ts";

export const outages = ["stopped", "hung", "cut off", "restarted", "connections ended"] as const;
type Outage = (typeof outages)[number];

/**
 * Makes the database unavailable under load, in these ways one after the other. Callers quickly get 503, and never a
 * wrong verdict.
 */
export async function postgresOutages(
  postgres: PostgresServer,
  inTurn: readonly Outage[],
  /** `outageMs`: how long the database is unavailable. */
  size: { callers: number; outageMs: number; answersWithinMs: number; recoversWithinMs: number },
): Promise<string> {
  const url = await freshDatabase(postgres.url);
  const location = { kind: "postgres", url } as const;
  const subjects = await makeSubjects(location, 20);
  const traffic = new Traffic(subjects.all);
  const wire = await openCuttableConnection(postgres.port);
  const wired = new URL(url);
  wired.port = String(wire.port);
  const server = await startServerProcess({ DATABASE_URL: wired.href });
  const recoveredMs: string[] = [];
  try {
    traffic.start(server.port, size.callers, 5);
    for (const outage of inTurn) {
      await traffic.flows(50);
      const unavailable = traffic.unavailable + size.callers;
      const end = await begin(outage, postgres, wire);
      const endsMs = performance.now() + size.outageMs;
      const isOver = () => traffic.unavailable >= unavailable && performance.now() >= endsMs;
      try {
        if (end !== null) await until("callers get 503", isOver, 60_000);
      } finally {
        // A suspended database would block the code that stops it.
        await end?.();
      }
      const mendedMs = performance.now();
      await traffic.flows(1, `callers get verdicts again: ${outage}`);
      const tookMs = performance.now() - mendedMs;
      recoveredMs.push(tookMs.toFixed());
      holds(tookMs <= size.recoversWithinMs, `${outage}: recovered only after ${tookMs.toFixed()} ms`);
      await traffic.flows(50, "traffic resumes");
      await until("the server is ready again", async () => (await fetch(`${server.url}/readyz`)).ok, 60_000);
    }
    await traffic.stop();

    holdsNone(traffic.problems, "callers saw");
    holds(traffic.slowestMs <= size.answersWithinMs, `an answer took ${traffic.slowestMs.toFixed()} ms`);
    await checkConsistency(location, subjects, traffic);
    return `${traffic.sent} sent, ${traffic.acknowledged} verdicts, ${traffic.unavailable} told to wait, slowest ${traffic.slowestMs.toFixed()} ms, recovered after ${recoveredMs.join(", ")} ms`;
  } finally {
    await traffic.stop();
    await server.stop();
    wire.close();
  }
}

/** Returns a function that ends the outage, or null if it is already over. */
async function begin(
  outage: Outage,
  postgres: PostgresServer,
  wire: CuttableConnection,
): Promise<(() => Promise<void>) | null> {
  switch (outage) {
    case "stopped":
      await postgres.stop();
      return () => postgres.start();
    case "hung": {
      const frozen = await freezePostgres(postgres.url);
      return async () => frozen.thaw();
    }
    case "cut off":
      wire.cut();
      return async () => wire.mend();
    case "restarted":
      await postgres.stop();
      await postgres.start();
      return null;
    case "connections ended":
      await withClient(postgres.url, (client) => client.query(endConnections));
      return null;
  }
}

const endConnections =
  "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'countersign'";
