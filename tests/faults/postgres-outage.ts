import pg from "pg";
import { openCuttableConnection } from "../support/cuttable-connection.ts";
import { freshDatabase, type PostgresServer } from "../support/postgres.ts";
import { freezePostgres } from "../support/postgres-processes.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { holds } from "./assert-holds.ts";
import { checkConsistency } from "./consistency-check.ts";
import { makeSubjects } from "./subjects.ts";
import { Traffic } from "./traffic.ts";

export interface OutageSize {
  readonly callers: number;
  /** How long the database is unavailable. */
  readonly outageMs: number;
  readonly answersWithinMs: number;
  readonly recoversWithinMs: number;
}

export type Outage = "stopped" | "hung" | "cut off" | "restarted" | "connections ended";
export const outages: readonly Outage[] = ["stopped", "hung", "cut off", "restarted", "connections ended"];

/** Makes the database unavailable under load. Callers quickly get 503, and never a wrong verdict. */
export async function postgresOutage(
  postgres: PostgresServer,
  outage: Outage,
  size: OutageSize,
): Promise<string> {
  const url = await freshDatabase(postgres.url);
  const location = { kind: "postgres", url } as const;
  const subjects = await makeSubjects(location, 20);
  const traffic = new Traffic(subjects);
  const wire = await openCuttableConnection(postgres.port);
  const wired = new URL(url);
  wired.port = String(wire.port);
  const server = await startServerProcess({ DATABASE_URL: wired.href });
  let end = async () => {};
  const endOnce = () => {
    const ending = end;
    end = async () => {};
    return ending();
  };
  try {
    traffic.start(server.port, size.callers, 5);
    await until("there is traffic", () => traffic.acknowledged >= 50, 60_000);

    end = await begin(outage, postgres, wire);
    const outageEndsMs = performance.now() + size.outageMs;
    const goneForAWhile = outage === "stopped" || outage === "hung" || outage === "cut off";
    if (goneForAWhile) {
      await until(
        "callers get 503",
        () => traffic.unavailable >= size.callers && performance.now() >= outageEndsMs,
        60_000,
      );
    }
    await endOnce();

    const mendedMs = performance.now();
    const acknowledgedBefore = traffic.acknowledged;
    await until("callers get verdicts again", () => traffic.acknowledged > acknowledgedBefore, 60_000);
    const recoveredMs = performance.now() - mendedMs;
    const enough = traffic.acknowledged + 50;
    await until("traffic resumes", () => traffic.acknowledged >= enough, 60_000);
    await until("the server is ready again", async () => (await fetch(`${server.url}/readyz`)).ok, 60_000);
    await traffic.stop();

    const lost = traffic.lostReused + traffic.lostFresh;
    holds(lost === 0, `${lost} requests got no answer at all`);
    holds(traffic.slowestMs <= size.answersWithinMs, `an answer took ${traffic.slowestMs.toFixed()} ms`);
    holds(recoveredMs <= size.recoversWithinMs, `recovered only after ${recoveredMs.toFixed()} ms`);
    await checkConsistency(location, subjects, traffic);
    return `${traffic.sent} sent, ${traffic.acknowledged} verdicts, ${traffic.unavailable} told to wait, slowest ${traffic.slowestMs.toFixed()} ms, recovered after ${recoveredMs.toFixed()} ms`;
  } finally {
    // A suspended database would block the code that stops it.
    await endOnce();
    await traffic.stop();
    await server.stop();
    wire.close();
  }
}

/** Returns a function that ends the outage. */
async function begin(
  outage: Outage,
  postgres: PostgresServer,
  wire: { cut(): void; mend(): void },
): Promise<() => Promise<void>> {
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
      return async () => {};
    case "connections ended":
      await endConnections(postgres.url);
      return async () => {};
  }
}

async function endConnections(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'countersign'",
  );
  await client.end();
}
