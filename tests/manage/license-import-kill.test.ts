import { describe, expect, test } from "bun:test";
import { manageBase } from "@countersign/contract/manage/base";
import { long } from "../races/size.ts";
import { databases, sqlite } from "../support/databases.ts";
import { csv, csvFile } from "../support/license-files.ts";
import { manageClient } from "../support/manage-client.ts";
import { type Office, openOffice } from "../support/office.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

/** Each waits for a dead node's claim to run out. Both ways on both databases are part of the long runs. */
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
    "is taken up by the next one and every row is there once: %s",
    async (mode) => {
      const office = await openOffice(make);
      try {
        const path = `/products/${office.productId}/licenses/import?mode=${mode}`;
        const sent = await office.owner.api.send("POST", path, file, csv);
        expect(sent.status).toBe(202);
        const job = () => jobOf(office, sent.body.id);
        await until(
          "some rows are written",
          async () => ((await job())?.rows_done ?? 0) > 0 && (await job())?.state === "writing",
        );
        office.server.signal("SIGKILL");
        await office.server.exited;
        const atKill = await job();
        expect(atKill?.finished_at).toBeNull();
        expect(await licenseCount(office)).toBe(atKill?.created ?? -1);

        const next = await startServerProcess(office.database.environment);
        try {
          await until("the import is over", async () => (await job())?.finished_at !== null, 60_000);
          const { body } = await manageClient(next.url, office.owner.token).get(
            `/products/${office.productId}/imports/${sent.body.id}`,
          );
          expect(body).toMatchObject({
            state: "finished",
            created: rowCount,
            failed: 0,
            rows_total: rowCount,
          });
          expect(await licenseCount(office)).toBe(rowCount);
          expect(await countOf(office, "license_tags")).toBe(rowCount);
          expect(await countOf(office, "license_ips")).toBe(rowCount);
          await until("nothing is left lying about", async () => {
            return (await countOf(office, "import_pieces")) === 0;
          });
        } finally {
          await next.stop();
        }
      } finally {
        await office.close();
      }
    },
    120_000,
  );

  test("while it is undone, the next server goes on, and every license goes once", async () => {
    const office = await openOffice(make);
    try {
      const path = `/products/${office.productId}`;
      const sent = await office.owner.api.send("POST", `${path}/licenses/import`, file, csv);
      const job = () => jobOf(office, sent.body.id);
      await until("the import is over", async () => (await job())?.finished_at !== null, 60_000);
      await office.owner.api.post(`${path}/imports/${sent.body.id}/undo`, {});
      await until("some are deleted", async () => JSON.parse((await job())?.undo ?? "{}").deleted > 0);
      office.server.signal("SIGKILL");
      await office.server.exited;
      const atKill = await job();
      expect(await licenseCount(office)).toBe(rowCount - JSON.parse(atKill?.undo ?? "{}").deleted);
      const next = await startServerProcess(office.database.environment);
      await until("it is undone", async () => (await job())?.state === "undone", 60_000);
      expect(JSON.parse((await job())?.undo ?? "{}")).toMatchObject({ deleted: rowCount, kept: 0 });
      expect(await licenseCount(office)).toBe(0);
      expect(await countOf(office, "import_undo")).toBe(0);
      await next.stop();
    } finally {
      await office.close();
    }
  }, 120_000);

  test("while the file is still arriving leaves nothing behind", async () => {
    const office = await openOffice(make);
    try {
      const { promise: cut, resolve: endIt } = Promise.withResolvers<void>();
      const body = new ReadableStream<Uint8Array>({
        start: async (controller) => {
          controller.enqueue(Buffer.from(file.slice(0, 800_000)));
          await cut;
          controller.error(new Error("gone"));
        },
      });
      const url = `${office.server.url}${manageBase}/products/${office.productId}/licenses/import`;
      const headers = { ...csv, authorization: `Bearer ${office.owner.token}` };
      const sending = fetch(url, { method: "POST", body, headers }).catch(() => null);
      await until("a piece is written down", async () => (await countOf(office, "import_pieces")) > 0);
      office.server.signal("SIGKILL");
      await office.server.exited;
      endIt();
      await sending;
      const next = await startServerProcess(office.database.environment);
      await until("it is forgotten", async () => (await countOf(office, "imports")) === 0, 30_000);
      expect(await countOf(office, "import_pieces")).toBe(0);
      expect(await licenseCount(office)).toBe(0);
      await next.stop();
    } finally {
      await office.close();
    }
  }, 60_000);

  test("with SIGTERM stops at once and the next server goes on", async () => {
    const office = await openOffice(make);
    try {
      const path = `/products/${office.productId}/licenses/import`;
      const sent = await office.owner.api.send("POST", path, file, csv);
      await until(
        "some rows are written",
        async () => ((await jobOf(office, sent.body.id))?.rows_done ?? 0) > 0,
      );
      expect(await office.server.stop()).toBe(0);
      expect((await jobOf(office, sent.body.id))?.claimed_by).toBeNull();
      const next = await startServerProcess(office.database.environment);
      await until(
        "it is over",
        async () => (await jobOf(office, sent.body.id))?.finished_at !== null,
        60_000,
      );
      expect(await licenseCount(office)).toBe(rowCount);
      await next.stop();
    } finally {
      await office.close();
    }
  }, 120_000);
});

async function jobOf(office: Office, id: string) {
  return office.store.reads.selectFrom("imports").selectAll().where("id", "=", id).executeTakeFirst();
}

async function licenseCount(office: Office): Promise<number> {
  return countOf(office, "licenses");
}

type Counted = "licenses" | "license_tags" | "license_ips" | "import_undo" | "import_pieces" | "imports";

async function countOf(office: Office, table: Counted): Promise<number> {
  const { count } = await office.store.reads
    .selectFrom(table)
    .select((is) => is.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}
