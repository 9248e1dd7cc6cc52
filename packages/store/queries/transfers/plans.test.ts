import { beforeAll, expect, test } from "bun:test";
import { CompiledQuery, type RootOperationNode, sql } from "kysely";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { transferRow } from "../../../../tests/support/transfer-row.ts";
import { watched } from "../../../../tests/support/watched-queries.ts";
import type { Database } from "../../store.ts";
import * as transfers from "./transfers.ts";
import * as views from "./views.ts";

const queries = { ...transfers, ...views };

const count = 6_000;
const person = newId();
const licenses = Array.from({ length: count }, newId);
const nowMs = Date.UTC(2031, 0, 1);
const page = { beforeId: null, limit: 51 };

onBothDatabases("queries of many transfers", (fixture) => {
  let organizationId: string;
  beforeAll(async () => {
    const organization = await fixture.organization();
    organizationId = organization.organizationId;
    const rows = licenses.map((license_id, at) =>
      transferRow({
        ...{ organization_id: organizationId, product_id: organization.productId, license_id },
        ...{ state: at % 100 === 0 ? "pending" : "rejected", to_email: `${at}@example.com` },
        ...{ requested_by: at % 1_000 === 0 ? person : newId(), requested_at: nowMs },
      }),
    );
    for (let start = 0; start < count; start += 1_000)
      await fixture.write((db) =>
        fixture.store.bulk.insert(db, "transfers", rows.slice(start, start + 1_000)),
      );
    if (fixture.kind === "postgres") await sql`analyze transfers, products`.execute(fixture.reads);
  }, 60_000);

  const [first = "", other = ""] = licenses;
  const all = () => ({ organizationId, state: null, licenseId: null });
  const reads: readonly [name: string, read: (db: Database) => Promise<unknown>][] = [
    ["all of an organization", (db) => queries.transferPage(db, all(), page)],
    ["those that wait", (db) => queries.transferPage(db, { ...all(), state: "pending" }, page)],
    ["those of a license", (db) => queries.transferPage(db, { ...all(), licenseId: other }, page)],
    ["those of a portal account", (db) => queries.transfersOfPerson(db, person, page)],
    ["those that a portal account waits for", (db) => queries.pendingTransfersOfPerson(db, person)],
    ["those that a portal account has lost", (db) => queries.lostTransfersOfPerson(db, person)],
    ["the one that a license waits for", (db) => queries.pendingTransferOf(db, first)],
    ["the last requests of a license", (db) => queries.lastRequests(db, first, 5)],
    ["the last transfer of a license", (db) => queries.lastTransferredAt(db, first)],
    ["outdated ones of some licenses", (db) => queries.outdatedTransfers(db, licenses.slice(0, 50))],
    ["the number of those that wait", (db) => queries.countPendingTransfers(db, organizationId, 1_000)],
    ["organizations to remind", (db) => queries.nextOrganizationToRemind(db, "", nowMs)],
  ];
  test.each(reads)("reading %s does not read the whole table", async (_, read) => {
    const { store, plans } = watched(fixture.store);
    await read(store.reads);
    const seen = await plans();
    expect(seen.length).toBeGreaterThan(0);
    const whole =
      fixture.kind === "sqlite" ? /SCAN (?:transfers|t|last|before)(?! USING)/ : /Seq Scan on transfers/;
    for (const { text, plan } of seen) expect([text, plan]).toEqual([text, expect.not.stringMatching(whole)]);
  });

  test.each([
    { email: "7@example.com", discordId: null },
    { email: null, discordId: "7" },
  ])("erasing a customer reads their transfers only: %j", async (who) => {
    await fixture.write(async (db) => {
      const statements: CompiledQuery[] = [];
      const watching = db.withPlugin({
        transformQuery: ({ node, queryId }) => {
          statements.push(db.getExecutor().compileQuery(node as RootOperationNode, queryId));
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      await queries.eraseFromTransfers(watching, organizationId, { id: "someone", ...who });
      expect(statements).toHaveLength(3);
      for (const { sql: text, parameters } of statements) {
        const explained = `${fixture.kind === "sqlite" ? "explain query plan" : "explain"} ${text}`;
        const { rows } = await db.executeQuery(CompiledQuery.raw(explained, [...parameters]));
        expect(JSON.stringify(rows)).toMatch(/transfers_by_(sender|recipient|to_email|to_discord_id)/);
      }
    });
  });
});
