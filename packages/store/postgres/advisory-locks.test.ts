import { expect, test } from "bun:test";
import pg from "pg";
import { postgres } from "../../../tests/support/databases.ts";
import { openTestOrganization } from "../../../tests/support/test-organization.ts";
import { advisoryLocks } from "./advisory-locks.ts";
import { foldCounts } from "./fold-counts.ts";
import { PostgresRequestLog } from "./request-log.ts";

test("every advisory lock has its own number", () => {
  const numbers = Object.values(advisoryLocks);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test("license counts are folded while a node changes the request log", async () => {
  const database = await postgres.make();
  if (database.location.kind !== "postgres") throw new Error("This is about PostgreSQL.");
  const org = await openTestOrganization(database.location);
  const writer = new pg.Client({ connectionString: database.location.url });
  await writer.connect();
  try {
    await new PostgresRequestLog(writer).begin("alone");
    await org.license();
    expect(await foldCounts(org.store.reads)).toBeGreaterThan(0);
  } finally {
    await writer.end();
    await org.store.close();
    database.remove();
  }
}, 60_000);
