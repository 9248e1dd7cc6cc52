import { openManageFixture } from "../support/manage-fixture.ts";
import { freshDatabase, type PostgresServer } from "../support/postgres.ts";
import { until, within } from "../support/until.ts";
import { holds, holdsNone } from "./assert-holds.ts";
import { repeat } from "./repeat.ts";

/** Restarts the database during changes. They get 200 or 503, the log has no other error, and the server then stops. */
export async function managementThroughRestart(
  postgres: PostgresServer,
  size: { readonly restarts: number },
): Promise<string> {
  const url = await freshDatabase(postgres.url);
  const database = {
    location: { kind: "postgres", url } as const,
    environment: { DATABASE_URL: url },
    remove: () => {},
  };
  const { server, store, owner, productId } = await openManageFixture(async () => database, {
    why: "its database is restarted",
  });
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
