import { describe, expect, test } from "bun:test";
import { manageBase } from "@countersign/contract/manage/base";
import { long } from "../races/size.ts";
import { databases, sqlite } from "../support/databases.ts";
import { csv, csvFile } from "../support/license-files.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

/** Each waits for a dead node's lease to expire, so only long runs test both modes on both databases. */
const modes = long ? ["row_by_row", "all_or_nothing"] : ["all_or_nothing"];

describe.each(long ? databases : [sqlite])("an import on $kind whose server is killed", ({ make }) => {
  const rowCount = 20_000;
  const file = csvFile(
    ["license_key", "customer_email", "tags", "ips"],
    ...Array.from({ length: rowCount }, (_, number) => [
      number % 10 === 0 ? null : `KILL-${number}`,
      `kill${number % 5_000}@example.com`,
      "killed",
      "10.0.0.1",
    ]),
  );

  test.each(modes)(
    "continues on the next server and writes every row once: %s",
    async (mode) => {
      const fixture = await openManageFixture(make);
      try {
        const path = `/products/${fixture.productId}/licenses/import?mode=${mode}`;
        const sent = await fixture.owner.api.send("POST", path, file, csv);
        expect(sent.status).toBe(202);
        const job = () => jobOf(fixture, sent.body.id);
        await until(
          "some rows are written",
          async () => ((await job())?.rows_done ?? 0) > 0 && (await job())?.state === "writing",
        );
        fixture.server.signal("SIGKILL");
        await fixture.server.exited;
        const atKill = await job();
        expect(atKill?.finished_at).toBeNull();
        expect(await licenseCount(fixture)).toBe(atKill?.created ?? -1);

        const next = await startServerProcess(fixture.database.environment);
        try {
          await until("the import is over", async () => (await job())?.finished_at !== null, 60_000);
          const { body } = await manageClient(next.url, fixture.owner.token).get(
            `/products/${fixture.productId}/imports/${sent.body.id}`,
          );
          expect(body).toMatchObject({
            state: "finished",
            created: rowCount,
            failed: 0,
            rows_total: rowCount,
          });
          expect(await licenseCount(fixture)).toBe(rowCount);
          expect(await countOf(fixture, "license_tags")).toBe(rowCount);
          expect(await countOf(fixture, "license_ips")).toBe(rowCount);
          await until("the stored file is deleted", async () => {
            return (await countOf(fixture, "import_pieces")) === 0;
          });
        } finally {
          await next.stop();
        }
      } finally {
        await fixture.close();
      }
    },
    120_000,
  );

  test("during an undo continues on the next server and deletes every license once", async () => {
    const fixture = await openManageFixture(make);
    try {
      const path = `/products/${fixture.productId}`;
      const sent = await fixture.owner.api.send("POST", `${path}/licenses/import`, file, csv);
      const job = () => jobOf(fixture, sent.body.id);
      await until("the import is over", async () => (await job())?.finished_at !== null, 60_000);
      await fixture.owner.api.post(`${path}/imports/${sent.body.id}/undo`, {});
      await until("some are deleted", async () => JSON.parse((await job())?.undo ?? "{}").deleted > 0);
      fixture.server.signal("SIGKILL");
      await fixture.server.exited;
      const atKill = await job();
      expect(await licenseCount(fixture)).toBe(rowCount - JSON.parse(atKill?.undo ?? "{}").deleted);
      const next = await startServerProcess(fixture.database.environment);
      await until("it is undone", async () => (await job())?.state === "undone", 60_000);
      expect(JSON.parse((await job())?.undo ?? "{}")).toMatchObject({ deleted: rowCount, kept: 0 });
      expect(await licenseCount(fixture)).toBe(0);
      expect(await countOf(fixture, "import_undo")).toBe(0);
      await next.stop();
    } finally {
      await fixture.close();
    }
  }, 120_000);

  test("while the file is still arriving leaves no rows", async () => {
    const fixture = await openManageFixture(make);
    try {
      const { promise: cut, resolve: endIt } = Promise.withResolvers<void>();
      const body = new ReadableStream<Uint8Array>({
        start: async (controller) => {
          controller.enqueue(Buffer.from(file.slice(0, 800_000)));
          await cut;
          controller.error(new Error("gone"));
        },
      });
      const url = `${fixture.server.url}${manageBase}/products/${fixture.productId}/licenses/import`;
      const headers = { ...csv, authorization: `Bearer ${fixture.owner.token}` };
      const sending = fetch(url, { method: "POST", body, headers }).catch(() => null);
      await until("a piece is stored", async () => (await countOf(fixture, "import_pieces")) > 0);
      fixture.server.signal("SIGKILL");
      await fixture.server.exited;
      endIt();
      await sending;
      const next = await startServerProcess(fixture.database.environment);
      await until("the import is pruned", async () => (await countOf(fixture, "imports")) === 0, 30_000);
      expect(await countOf(fixture, "import_pieces")).toBe(0);
      expect(await licenseCount(fixture)).toBe(0);
      await next.stop();
    } finally {
      await fixture.close();
    }
  }, 60_000);

  test("with SIGTERM stops immediately and continues on the next server", async () => {
    const fixture = await openManageFixture(make);
    try {
      const path = `/products/${fixture.productId}/licenses/import`;
      const sent = await fixture.owner.api.send("POST", path, file, csv);
      await until(
        "some rows are written",
        async () => ((await jobOf(fixture, sent.body.id))?.rows_done ?? 0) > 0,
      );
      expect(await fixture.server.stop()).toBe(0);
      expect((await jobOf(fixture, sent.body.id))?.claimed_by).toBeNull();
      const next = await startServerProcess(fixture.database.environment);
      await until(
        "the import is over",
        async () => (await jobOf(fixture, sent.body.id))?.finished_at !== null,
        60_000,
      );
      expect(await licenseCount(fixture)).toBe(rowCount);
      await next.stop();
    } finally {
      await fixture.close();
    }
  }, 120_000);
});

async function jobOf(fixture: ManageFixture, id: string) {
  return fixture.store.reads.selectFrom("imports").selectAll().where("id", "=", id).executeTakeFirst();
}

async function licenseCount(fixture: ManageFixture): Promise<number> {
  return countOf(fixture, "licenses");
}

type Counted = "licenses" | "license_tags" | "license_ips" | "import_undo" | "import_pieces" | "imports";

async function countOf(fixture: ManageFixture, table: Counted): Promise<number> {
  const { count } = await fixture.store.reads
    .selectFrom(table)
    .select((is) => is.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}
