import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { manageBase } from "@countersign/contract/manage/base";
import { long } from "../races/size.ts";
import { databases, sqlite } from "../support/databases.ts";
import { csv, csvFile } from "../support/license-files.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const rowCount = long ? 30_000 : 10_000;
const file = csvFile(
  ["license_key", "customer_email", "tags", "ips"],
  ...Array.from({ length: rowCount }, (_, number) => [
    number % 10 === 0 ? null : `KILL-${number}`,
    `kill${number % 500}@example.com`,
    "killed",
    "10.0.0.1",
  ]),
);

/**
 * That another worker continues where one stopped: apps/server/features/license-files/interrupted.test.ts. These tests
 * kill real servers. After each kill the next one waits until the lease expires, so only long runs have them all.
 */
describe.each(long ? databases : [sqlite])("an import on $kind whose server ends", ({ make }) => {
  let fixture: ManageFixture;
  let server: ServerProcess;
  beforeEach(async () => {
    fixture = await openManageFixture(make, { why: "its server is killed" });
    server = fixture.server;
  });
  afterEach(async () => {
    await server.stop();
    await fixture.close();
  });

  const startNext = async () => {
    server = await startServerProcess(fixture.database.environment);
  };
  const kill = async () => {
    server.signal("SIGKILL");
    await server.exited;
  };
  const send = async (query = "") => {
    const path = `/products/${fixture.productId}/licenses/import${query}`;
    const sent = await fixture.owner.api.send("POST", path, file, csv);
    expect(sent.status).toBe(202);
    return String(sent.body.id);
  };
  const job = (id: string) =>
    fixture.store.reads.selectFrom("imports").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const untilWritten = (id: string, more: number) =>
    until("some rows are written", async () => {
      const { state, rows_done } = await job(id);
      return state === "writing" && rows_done > more;
    });
  const untilOver = (id: string) =>
    until("the import is over", async () => (await job(id)).finished_at !== null, 60_000);
  const undoneBy = async (id: string) => JSON.parse((await job(id)).undo ?? "{}");

  test.each(long ? ["row_by_row", "all_or_nothing"] : ["all_or_nothing"])(
    "with SIGTERM and then with SIGKILL continues on the next one and writes every row once: %s",
    async (mode) => {
      const id = await send(`?mode=${mode}`);
      await untilWritten(id, 0);
      expect(await server.stop()).toBe(0);
      const stopped = await job(id);
      expect(stopped).toMatchObject({ finished_at: null, claimed_by: null });
      expect(await countOf(fixture, "licenses")).toBe(stopped.created);

      await startNext();
      await untilWritten(id, stopped.rows_done);
      await kill();
      const killed = await job(id);
      expect(killed.finished_at).toBeNull();
      expect(await countOf(fixture, "licenses")).toBe(killed.created);

      await startNext();
      await untilOver(id);
      const counts = { created: rowCount, failed: 0, rows_total: rowCount };
      expect(await job(id)).toMatchObject({ state: "finished", ...counts });
      for (const table of ["licenses", "license_tags", "license_ips"] as const)
        expect(await countOf(fixture, table)).toBe(rowCount);
      await until("the stored file is deleted", async () => (await countOf(fixture, "import_pieces")) === 0);
    },
  );

  if (long) {
    test("during an undo continues on the next one and deletes every license once", async () => {
      const id = await send();
      await untilOver(id);
      await fixture.owner.api.post(`/products/${fixture.productId}/imports/${id}/undo`, {});
      await until("some are deleted", async () => (await undoneBy(id)).deleted > 0);
      await kill();
      expect(await countOf(fixture, "licenses")).toBe(rowCount - (await undoneBy(id)).deleted);
      await startNext();
      await until("it is undone", async () => (await job(id)).state === "undone", 60_000);
      expect(await undoneBy(id)).toMatchObject({ deleted: rowCount, kept: 0 });
      for (const table of ["licenses", "import_undo"] as const) expect(await countOf(fixture, table)).toBe(0);
    });

    test("while the file is still arriving leaves no rows", async () => {
      const { promise: cut, resolve: endIt } = Promise.withResolvers<void>();
      const body = new ReadableStream<Uint8Array>({
        start: async (controller) => {
          controller.enqueue(Buffer.from(file.slice(0, 800_000)));
          await cut;
          controller.error(new Error("gone"));
        },
      });
      const url = `${server.url}${manageBase}/products/${fixture.productId}/licenses/import`;
      const headers = { ...csv, authorization: `Bearer ${fixture.owner.token}` };
      const sending = fetch(url, { method: "POST", body, headers }).catch(() => null);
      await until("a piece is stored", async () => (await countOf(fixture, "import_pieces")) > 0);
      await kill();
      endIt();
      await sending;
      await startNext();
      await until("the import is pruned", async () => (await countOf(fixture, "imports")) === 0, 30_000);
      for (const table of ["import_pieces", "licenses"] as const)
        expect(await countOf(fixture, table)).toBe(0);
    });
  }
});

type Counted = "licenses" | "license_tags" | "license_ips" | "import_undo" | "import_pieces" | "imports";

async function countOf(fixture: ManageFixture, table: Counted): Promise<number> {
  const { count } = await fixture.store.reads
    .selectFrom(table)
    .select((is) => is.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}
