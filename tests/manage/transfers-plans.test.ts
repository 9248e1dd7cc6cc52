import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { eraseFromTransfers } from "@countersign/store/queries/transfers/erase-customer";
import * as queries from "@countersign/store/queries/transfers/transfers";
import type { Store } from "@countersign/store/store";
import type { TransferRow } from "@countersign/store/tables";
import { CompiledQuery, type RootOperationNode, sql } from "kysely";
import { databases, type TestDatabase } from "../support/databases.ts";
import { newId, openTestOrganization, type TestOrganization } from "../support/test-organization.ts";
import { watched } from "../support/watched-queries.ts";

setDefaultTimeout(120_000);

const count = 20_000;

/** No list and no check of transfers reads more of them than it returns, however many an organization has. */
describe.each(databases)("querying many transfers on $kind", ({ kind, make }) => {
  let database: TestDatabase;
  let org: TestOrganization;
  const ids: string[] = [];
  const nowMs = Date.UTC(2030, 0, 1);
  const person = newId();
  beforeAll(async () => {
    database = await make();
    org = await openTestOrganization(database.location);
    const { organizationId: organization_id, productId: product_id, store } = org;
    const rows = Array.from({ length: count }, (_, index): TransferRow => {
      ids.push(newId());
      return {
        id: newId(),
        organization_id,
        product_id,
        license_id: ids[index] ?? "",
        license_key_hint: "ABCD…",
        state: index % 100 === 0 ? "pending" : "rejected",
        from_customer_id: "nobody",
        from_email: "ada@example.com",
        from_discord_id: null,
        from_name: null,
        to_email: `${index}@example.com`,
        to_discord_id: null,
        to_customer_id: null,
        message: null,
        review_reason: "product_setting",
        requested_by: index % 1_000 === 0 ? person : newId(),
        requested_at: nowMs,
        decided_at: null,
        decided_by: null,
        decided_by_name: null,
        reason: null,
        updated_at: nowMs,
      };
    });
    for (let start = 0; start < count; start += 1_000)
      await store.transaction((db) => store.bulk.insert(db, "transfers", rows.slice(start, start + 1_000)));
    if (kind === "postgres") await sql`analyze transfers`.execute(store.reads);
  });
  afterAll(async () => {
    await org.store.close();
    database.remove();
  });

  const page = { beforeId: null, limit: 51 };
  const everything = () => ({ organizationId: org.organizationId, state: null, licenseId: null });
  const reads: readonly [name: string, read: (store: Store) => Promise<unknown>][] = [
    ["all of an organization", ({ reads }) => queries.transferPage(reads, everything(), page)],
    [
      "those that wait",
      ({ reads }) => queries.transferPage(reads, { ...everything(), state: "pending" }, page),
    ],
    [
      "those of a license",
      ({ reads }) => queries.transferPage(reads, { ...everything(), licenseId: ids[7] ?? "" }, page),
    ],
    ["those of a portal account", ({ reads }) => queries.transfersOfPerson(reads, person, page)],
    ["those that a portal account waits for", ({ reads }) => queries.pendingTransfersOfPerson(reads, person)],
    ["the one that a license waits for", ({ reads }) => queries.pendingTransferOf(reads, ids[0] ?? "")],
    ["the last requests of a license", ({ reads }) => queries.lastRequests(reads, ids[0] ?? "", 5)],
    ["the last transfer of a license", ({ reads }) => queries.lastTransferredAt(reads, ids[0] ?? "")],
    ["outdated ones of some licenses", ({ reads }) => queries.outdatedTransfers(reads, ids.slice(0, 50))],
    [
      "the number of those that wait",
      ({ reads }) => queries.countPendingTransfers(reads, org.organizationId, 1_000),
    ],
    ["organizations to remind", ({ reads }) => queries.nextOrganizationToRemind(reads, "", nowMs)],
  ];
  test.each(reads)("reading %s does not read the whole table", async (_, read) => {
    const { store, plans } = watched(org.store);
    await read(store);
    const all = await plans();
    expect(all.length).toBeGreaterThan(0);
    const whole = kind === "sqlite" ? /SCAN (?:transfers|t|last|before)(?! USING)/ : /Seq Scan on transfers/;
    for (const { text, plan } of all) expect([text, plan]).toEqual([text, expect.not.stringMatching(whole)]);
  });

  test.each([
    { email: "7@example.com", discordId: null },
    { email: null, discordId: "7" },
  ])("erasing a customer reads their transfers only: %p", async (who) => {
    await org.store.transaction(async (db) => {
      const statements: CompiledQuery[] = [];
      const watching = db.withPlugin({
        transformQuery: ({ node, queryId }) => {
          statements.push(db.getExecutor().compileQuery(node as RootOperationNode, queryId));
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      await eraseFromTransfers(watching, org.organizationId, { id: "someone", ...who });
      expect(statements).toHaveLength(3);
      for (const { sql: text, parameters } of statements) {
        const explained = `${kind === "sqlite" ? "explain query plan" : "explain"} ${text}`;
        const { rows } = await db.executeQuery(CompiledQuery.raw(explained, [...parameters]));
        expect(JSON.stringify(rows)).toMatch(/transfers_by_(sender|recipient|to_email|to_discord_id)/);
      }
    });
  });
});
