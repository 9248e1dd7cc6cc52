import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { long } from "../races/size.ts";
import { databases, sqlite } from "../support/databases.ts";
import { csv, csvFile } from "../support/license-files.ts";
import { licensesOf } from "../support/licenses.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const count = 1_000;
const rowCount = long ? 30_000 : 10_000;

/**
 * These tests kill real servers, on both databases in long runs only. That another worker continues an import, an undo
 * or nothing at all, wherever one stopped: apps/server/features/license-files/interrupted.test.ts.
 */
describe.each(long ? databases : [sqlite])("a killed server on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let server: ServerProcess;
  beforeEach(async () => {
    fixture = await openManageFixture(make, { why: "its server is killed" });
    server = fixture.server;
  }, 60_000);
  afterEach(async () => {
    await server.stop();
    await fixture.close();
  });

  const kill = async () => {
    server.signal("SIGKILL");
    await server.exited;
  };
  const startNext = async () => {
    server = await startServerProcess(fixture.environment);
  };
  const countOf = async (table: "licenses" | "license_tags" | "license_ips" | "import_pieces") => {
    const { count } = await fixture.store.reads
      .selectFrom(table)
      .select((is) => is.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  };
  const audited = async (action: string) => (await fixture.stored("audit_log", { action })).length;

  test("licenses are extended and created once when a killed server gets the same Idempotency-Keys again", async () => {
    const { create, newProduct } = licensesOf(fixture);
    const made = await create({ expires_in_seconds: 86_400, count });
    const { id: otherId } = await newProduct();
    const licenses = Array.from({ length: count }, (_, index) => ({
      ...{ customer_email: "killed@example.com", expires_in_seconds: 86_400 },
      ...(index % 2 === 0 ? {} : { license_key: `killed-${index}` }),
    }));
    const selection = { filter: { product_id: fixture.productId } };
    const extension = { action: "extend", selection, extend_by_seconds: 60 };
    const headers = { "idempotency-key": crypto.randomUUID() };
    const extend = ({ post } = fixture.owner.api) =>
      post(`/organizations/${fixture.organizationId}/licenses/bulk`, extension, headers);
    const createMore = ({ post } = fixture.owner.api) =>
      post(`/products/${otherId}/licenses`, { licenses }, { "idempotency-key": `${otherId}` });
    const extended = () => audited("license.renewed");
    const created = async () => (await countOf("licenses")) - count;

    for (const [send, done] of [
      [extend, extended],
      [createMore, created],
    ] as const) {
      const sending = send(manageClient(server.url, fixture.owner.token)).catch(() => null);
      await until("some rows are written", async () => (await done()) > 0);
      await kill();
      expect(await sending).toBeNull();
      expect(await done()).toBeWithin(1, count);
      await startNext();
    }
    // Three times at once, and once more.
    const next = manageClient(server.url, fixture.owner.token);
    const repeat = async (send: typeof extend) => {
      const answers = await Promise.all([1, 2, 3].map(() => send(next)));
      return [...answers, await send(next)].map(({ status, body }) => ({ status, body }));
    };
    const result = { matched: count, changed: count, dry_run: false, next_cursor: null };
    for (const answer of await repeat(extend)) expect(answer).toEqual({ status: 200, body: result });
    const [first, ...others] = await repeat(createMore);
    expect(first?.status).toBe(201);
    for (const other of others) expect(other).toEqual(first as never);

    expect([await extended(), await created(), await audited("license.created")]).toEqual([
      count,
      count,
      2 * count,
    ]);
    const rows = await fixture.stored("licenses", { product_id: fixture.productId });
    const end = Date.parse(made.data[0].expires_at) + 60_000;
    expect(new Set(rows.map((row) => row.expires_at))).toEqual(new Set([end]));
    const data: { license_key: string; expires_at: string }[] = first?.body.data;
    expect(new Set(data.map((one) => one.license_key)).size).toBe(count);
    expect(data[count - 1]?.license_key).toBe(`killed-${count - 1}`);
    expect(new Set(data.map((one) => one.expires_at)).size).toBe(1);
  });

  test.each(long ? ["row_by_row", "all_or_nothing"] : ["all_or_nothing"])(
    "an import whose server is killed or stopped continues on the next one and writes every row once, %s",
    async (mode) => {
      const file = csvFile(
        ["license_key", "customer_email", "tags", "ips"],
        ...Array.from({ length: rowCount }, (_, number) => [
          number % 10 === 0 ? null : `KILL-${number}`,
          `kill${number % 500}@example.com`,
          "killed",
          "10.0.0.1",
        ]),
      );
      const path = `/products/${fixture.productId}/licenses/import?mode=${mode}`;
      const { body } = await fixture.owner.api.send("POST", path, file, csv);
      const job = async () => {
        const [row] = await fixture.stored("imports", { id: body.id });
        if (row === undefined) throw new Error("There is no import.");
        return row;
      };
      const untilWritten = (more: number) =>
        until("some rows are written", async () => {
          const { state, rows_done } = await job();
          return state === "writing" && rows_done > more;
        });
      await untilWritten(0);
      expect(await server.stop()).toBe(0);
      const stopped = await job();
      expect(stopped).toMatchObject({ finished_at: null, claimed_by: null });
      expect(await countOf("licenses")).toBe(stopped.created);

      await startNext();
      await untilWritten(stopped.rows_done);
      await kill();
      const killed = await job();
      expect(killed.finished_at).toBeNull();
      expect(await countOf("licenses")).toBe(killed.created);

      await startNext();
      await until("the import is over", async () => (await job()).finished_at !== null, 60_000);
      const counts = { created: rowCount, failed: 0, rows_total: rowCount };
      expect(await job()).toMatchObject({ state: "finished", ...counts });
      for (const table of ["licenses", "license_tags", "license_ips"] as const)
        expect(await countOf(table)).toBe(rowCount);
      await until("the stored file is deleted", async () => (await countOf("import_pieces")) === 0);
    },
  );
});
