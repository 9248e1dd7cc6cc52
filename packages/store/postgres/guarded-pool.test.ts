import { expect, test } from "bun:test";
import { openCuttableConnection } from "../../../tests/support/cuttable-connection.ts";
import { postgres } from "../../../tests/support/databases.ts";
import { until } from "../../../tests/support/until.ts";
import { openStore } from "../databases/open.ts";
import { StorageUnavailable } from "../errors/problem.ts";

test("while PostgreSQL is silent, statements are refused after the probe has failed, later ones at once, until it answers", async () => {
  const { location } = await postgres.make();
  const url = location.kind === "postgres" ? location.url : "";
  const wire = await openCuttableConnection(Number(new URL(url).port));
  const options = { encryptionKey: null, durability: "standard" } as const;
  const store = await openStore({ kind: "postgres", url: wire.through(url) }, options);
  const read = () => store.reads.selectFrom("plans").select("id").execute();
  const write = () => store.transaction((db) => db.selectFrom("plans").select("id").execute());
  await Promise.all([read(), read(), write()]);
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => "It succeeded.",
      (error) => (error instanceof StorageUnavailable ? error.reason : error),
    );
  wire.cut();
  const startedMs = performance.now();
  // More than there are connections.
  const waiting = [...Array.from({ length: 6 }, read), write()];
  expect(new Set(await Promise.all(waiting.map(failureOf)))).toEqual(new Set(["unreachable"]));
  const firstMs = performance.now() - startedMs;
  const later: string[] = [];
  for (let count = 0; count < 5; count++) later.push(await failureOf(read()));
  const laterMs = performance.now() - startedMs - firstMs;
  expect(new Set(later)).toEqual(new Set(["unreachable"]));
  // A statement may take ten seconds.
  expect(firstMs).toBeLessThan(9_000);
  expect(laterMs).toBeLessThan(firstMs / 2);
  wire.mend();
  await until("it answers again", async () => (await failureOf(read())) === "It succeeded.");
  expect(await failureOf(write())).toBe("It succeeded.");
  await store.close();
  wire.close();
}, 60_000);
