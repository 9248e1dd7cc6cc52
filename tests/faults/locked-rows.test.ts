import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { refusalHour } from "@countersign/domain/events/refusal";
import { quotaDay } from "@countersign/domain/quota/day";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { postgres } from "../support/databases.ts";
import {
  countedRequests,
  openPublicApiFixture,
  type PublicApiFixture,
  registeredIps,
} from "../support/public-api-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";
import { ask, holdLock, keepAsking, type Question } from "./locked-rows.ts";

setDefaultTimeout(120_000);

const calls = 1_000;
const callers = 16;
/** The guarantee is two seconds. A busy machine gets more. */
const patientMs = 6_000;

interface LockedRow {
  readonly name: string;
  /** What the other session locks, given the license and product of the affected caller. */
  lock(licenseId: string, productId: string): { statement: string; values: unknown[] };
  /** Whether the affected caller needs the row. */
  readonly isNeeded: boolean;
  /** For products without a request today. */
  readonly isFirstOfDay?: boolean;
  readonly settings?: Parameters<PublicApiFixture["org"]["product"]>[0];
  readonly blocked?: boolean;
}

const day = () => quotaDay(Date.now());

const rows: readonly LockedRow[] = [
  {
    name: "a license row that a new IP address needs",
    lock: (licenseId) => ({
      statement: "select 1 from licenses where id = $1 for update",
      values: [licenseId],
    }),
    isNeeded: true,
  },
  {
    name: "a license row that the first use needs",
    lock: (licenseId) => ({
      statement: "select 1 from licenses where id = $1 for update",
      values: [licenseId],
    }),
    isNeeded: true,
    settings: { track_ip_on_validate: 0 },
  },
  {
    name: "a registered IP address",
    lock: (licenseId) => ({
      statement: "insert into license_ips (license_id, ip, registered_at) values ($1, '127.0.0.9', 1)",
      values: [licenseId],
    }),
    isNeeded: true,
  },
  {
    name: "a product's counter",
    lock: (_, productId) => ({
      statement: "select 1 from daily_usage where product_id = $1 for update",
      values: [productId],
    }),
    isNeeded: true,
  },
  {
    name: "the first counter of a day that another session has not committed",
    lock: (_, productId) => ({
      statement: "insert into daily_usage (product_id, day, used, last_granted) values ($1, $2, 1, 1)",
      values: [productId, day()],
    }),
    isNeeded: true,
    isFirstOfDay: true,
  },
  {
    name: "the product itself, before its first request of the day",
    lock: (_, productId) => ({
      statement: "select 1 from products where id = $1 for update",
      values: [productId],
    }),
    isNeeded: true,
    isFirstOfDay: true,
  },
  {
    name: "a refusal that another session has not committed",
    lock: (licenseId) => ({
      statement:
        "insert into recorded_refusals (hour, license_id, ip, type, in_summary) values ($1, $2, '127.0.0.9', 'license.ip_blocked', 0)",
      values: [refusalHour(Date.now()), licenseId],
    }),
    isNeeded: true,
    blocked: true,
  },
  {
    name: "the row of the platform's block lists",
    lock: () => ({ statement: "select 1 from platform_state for update", values: [] }),
    isNeeded: false,
  },
];

describe("while another session of PostgreSQL locks", () => {
  let fixture: PublicApiFixture;
  const unrelated: Question[] = [];
  const url = () => (fixture.database.location.kind === "postgres" ? fixture.database.location.url : "");

  beforeAll(async () => {
    fixture = await openPublicApiFixture(postgres.make);
    for (let index = 0; index < 100; index++) {
      const { key } = await fixture.org.license({ maxIps: callers });
      unrelated.push({ apiKey: fixture.org.apiKey, key });
    }
  });
  afterAll(() => fixture.close());

  for (const { name, lock, isNeeded, isFirstOfDay, settings, blocked } of rows) {
    test(`${name}, it delays only the requests that need it`, async () => {
      const { org, server } = fixture;
      const product = await org.product(settings);
      const license = await org.license({ productId: product.productId });
      const affected: Question = { apiKey: product.apiKey, key: license.key };
      if (isFirstOfDay !== true) {
        // Counted, but without a license lookup.
        await ask(server.port, [{ ...affected, key: "0000-0000-0000-0000" }], { count: 1, callers: 1 });
      }
      if (blocked === true) await blockFor(fixture, license.id);
      const { statement, values } = lock(license.id, product.productId);
      const holder = await holdLock(url(), statement, values);
      const waiting = keepAsking(server.port, affected, "127.0.0.9");
      const others = Array.from({ length: 4 }, (_, index) =>
        keepAsking(server.port, affected, `127.0.0.${20 + index}`),
      );
      let before = 0;
      try {
        const answers = await ask(server.port, unrelated, { count: calls, callers });
        expect(answers.others).toEqual([]);
        expect({ unavailable: answers.unavailable <= calls / 1_000 ? "few" : answers.unavailable }).toEqual({
          unavailable: "few",
        });
        expect([...answers.statuses.keys()]).toEqual(["active"]);
        await until("the affected caller was answered", () => waiting.answers.all > 0);
        before = waiting.answers.verdicts;
      } finally {
        await holder.release();
      }
      await until("the affected caller gets verdicts again", () => waiting.answers.verdicts > before);
      await Promise.all([waiting, ...others].map((asking) => asking.stop()));
      for (const { answers } of [waiting, ...others]) {
        expect(answers.others).toEqual([]);
        expect(answers.slowestMs).toBeLessThan(patientMs);
      }
      if (isNeeded) expect(before).toBe(0);
      else expect(waiting.answers.unavailable).toBe(0);

      const all = [waiting, ...others].map(({ answers }) => answers);
      const verdicts = all.reduce((sum, answers) => sum + answers.verdicts, 0);
      const sent = all.reduce((sum, answers) => sum + answers.all, isFirstOfDay === true ? 0 : 1);
      const counted = await countedRequests(org, product.productId);
      expect(counted).toBeGreaterThanOrEqual(verdicts);
      expect(counted).toBeLessThanOrEqual(sent);
      expect((await registeredIps(org.store, license.id)).length).toBeLessThanOrEqual(3);
    });
  }
});

describe("a table that is locked briefly, as by a migration", () => {
  test.each(["products", "licenses", "daily_usage"])("fails no request: %s", async (table) => {
    const fixture = await openPublicApiFixture(postgres.make);
    const { org, server } = fixture;
    const location = fixture.database.location;
    const questions: Question[] = [];
    for (let index = 0; index < 8; index++)
      questions.push({ apiKey: org.apiKey, key: (await org.license({ maxIps: 8 })).key });
    const url = location.kind === "postgres" ? location.url : "";
    const holder = await holdLock(url, `lock table ${table} in access exclusive mode`);
    const asking = ask(server.port, questions, { count: 8, callers: 8 });
    await until("a request waits for the table", () => holder.isWaitedFor());
    await new Promise((resolve) => setTimeout(resolve, 300));
    await holder.release();
    const answers = await asking;
    expect([...answers.statuses]).toEqual([["active", 8]]);
    expect(await countedRequests(org)).toBe(8);
    await fixture.close();
  });
});

async function blockFor({ org }: PublicApiFixture, licenseId: string): Promise<void> {
  const { store, organizationId } = org;
  const scope = { tier: "license", organizationId, licenseId } as const;
  const block = { id: newId(), scope, cidr: "127.0.0.0/24", note: null, expiresAtMs: null };
  await store.transaction((db) => addIpBlocks(db, [block], Date.now()));
}
