import { type CuttableConnection, openCuttableConnection } from "../support/cuttable-connection.ts";
import { postgresAt } from "../support/databases.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { freshDatabase, type PostgresServer, withClient } from "../support/postgres.ts";
import { freezePostgres } from "../support/postgres-processes.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until, within } from "../support/until.ts";
import { holds, holdsNone } from "./assert-holds.ts";
import { openTraffic } from "./consistency-check.ts";
import { repeat } from "./traffic.ts";

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
  const traffic = await openTraffic({ kind: "postgres", url });
  const wire = await openCuttableConnection(postgres.port);
  const server = await startServerProcess({ DATABASE_URL: wire.through(url) });
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
    await traffic.check();
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
): Promise<(() => unknown) | null> {
  if (outage === "hung") return (await freezePostgres(postgres.url)).thaw;
  if (outage === "cut off") {
    wire.cut();
    return wire.mend;
  }
  if (outage === "connections ended") {
    const ours = "pg_stat_activity where application_name like 'countersign %'";
    const query = `select pg_terminate_backend(pid) from ${ours}`;
    await withClient(postgres.url, (client) => client.query(query));
    return null;
  }
  await postgres.stop();
  if (outage === "stopped") return postgres.start;
  await postgres.start();
  return null;
}

/** Restarts the database during changes. They get 200 or 503, the log has no other error, and the server then stops. */
export async function managementThroughRestart(
  postgres: PostgresServer,
  size: { readonly restarts: number },
): Promise<string> {
  const make = async () => postgresAt(await freshDatabase(postgres.url));
  const fixture = await openManageFixture(make, { why: "its database is restarted" });
  const { server, store, owner, productId } = fixture;
  const statuses = new Map<number, number>();
  const count = (status: number) => statuses.get(status) ?? 0;
  const licenses = { customer_email: "a@b.example", count: 8 };
  const { body: created } = await owner.api.post(`/products/${productId}/licenses`, licenses);
  let started = 0;
  const change = async () => {
    const { id } = created.data[started++ % licenses.count];
    const { status } = await owner.api.patch(`/licenses/${id}`, { notes: `Change ${started}` });
    statuses.set(status, count(status) + 1);
  };
  const changing = repeat(change, { atOnce: licenses.count });
  const changes = async (what: string) => {
    const enough = count(200) + 50;
    await until(what, () => count(200) >= enough, 60_000);
  };
  try {
    for (let restart = 0; restart < size.restarts; restart++) {
      await changes("there are changes");
      const failed = count(503);
      await postgres.stop();
      await until("changes fail", () => count(503) > failed, 60_000);
      await postgres.start();
    }
    await changes("changes continue");
  } finally {
    await changing.stop();
  }
  const code = await within(30_000, "the server ends", server.stop());
  await store.close();
  holds(code === 0, `the server ended with ${code}`);
  const others = [...statuses.keys()].filter((status) => status !== 200 && status !== 503);
  holds(others.length === 0, `changes got ${others}`);
  holdsOnlyJsonLines(server.output());
  return `${count(200)} changes, ${count(503)} told to wait`;
}

/** Uncaught errors of libraries are printed without a format. */
export function holdsOnlyJsonLines(output: string): void {
  const lines = output.split("\n").filter((line) => line !== "");
  const others = lines.filter((line) => !(line.startsWith("{") && line.endsWith("}")));
  holdsNone(others, "the log has other lines");
  holds(!output.includes("in a way it should not"), "the log has an error that nobody expects");
}
