import { openManageFixture } from "../support/manage-fixture.ts";
import { freshDatabase, type PostgresServer } from "../support/postgres.ts";
import { until, within } from "../support/until.ts";
import { holds } from "./assert-holds.ts";

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
  let isOver = false;
  const change = async () => {
    const license = await owner.api.post(`/products/${productId}/licenses`, {
      customer_email: "a@b.example",
    });
    while (!isOver) {
      const notes = `Change ${count(200)}`;
      const { status } = await owner.api.patch(`/licenses/${license.body.id}`, { notes });
      statuses.set(status, count(status) + 1);
    }
  };
  const changing = Array.from({ length: 8 }, change);
  try {
    for (let restart = 0; restart < size.restarts; restart++) {
      const enough = count(200) + 50;
      await until("there are changes", () => count(200) >= enough, 60_000);
      const failed = count(503);
      await postgres.stop();
      await until("changes fail", () => count(503) > failed, 60_000);
      await postgres.start();
    }
    const enough = count(200) + 50;
    await until("changes continue", () => count(200) >= enough, 60_000);
  } finally {
    isOver = true;
    await Promise.all(changing);
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
  holds(others.length === 0, `the log has other lines: ${others.join("\n")}`);
  holds(!output.includes("in a way it should not"), "the log has an error that nobody expects");
}
