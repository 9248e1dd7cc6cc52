import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { refusalHour } from "@countersign/domain/events/thresholds";
import { quotaDay } from "@countersign/domain/quota/day";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { postgres } from "../support/databases.ts";
import {
  countedRequests,
  openPublicApiFixture,
  type PublicApiFixture,
  registeredIps,
} from "../support/public-api-fixture.ts";
import { several } from "../support/query-tests.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";
import { holdLock } from "./hold-lock.ts";
import { type Subject, Traffic } from "./traffic.ts";

setDefaultTimeout(120_000);

const calls = 250;
const callers = 16;
/** The guarantee is two seconds. A busy machine gets more. */
const patientMs = 6_000;

interface LockedRow {
  /** Whether the affected caller needs the row. */
  readonly isNeeded?: false;
  /** For products without a request today. */
  readonly isFirstOfDay?: true;
  readonly settings?: Parameters<PublicApiFixture["org"]["product"]>[0];
  readonly isBlocked?: true;
}
/** What the other session locks, given the license and product of the affected caller. */
type Lock = (license: string, product: string) => string;

const lockLicense: Lock = (license) => `select 1 from licenses where id = '${license}' for update`;

const rows: readonly [name: string, lock: Lock, row: LockedRow][] = [
  ["a license row that a new IP address needs", lockLicense, {}],
  ["a license row that the first use needs", lockLicense, { settings: { track_ip_on_validate: 0 } }],
  [
    "a registered IP address",
    (license) =>
      `insert into license_ips (license_id, ip, registered_at) values ('${license}', '127.0.0.9', 1)`,
    {},
  ],
  [
    "a product's counter",
    (_, product) => `select 1 from daily_usage where product_id = '${product}' for update`,
    {},
  ],
  [
    "the first counter of a day that another session has not committed",
    (_, product) => `insert into daily_usage (product_id, day, used, last_granted)
      values ('${product}', '${quotaDay(Date.now())}', 1, 1)`,
    { isFirstOfDay: true },
  ],
  [
    "the product itself before its first request of the day",
    (_, product) => `select 1 from products where id = '${product}' for update`,
    { isFirstOfDay: true },
  ],
  [
    "a refusal that another session has not committed",
    (license) => `insert into recorded_refusals (hour, license_id, ip, type, in_summary)
      values (${refusalHour(Date.now())}, '${license}', '127.0.0.9', 'license.ip_blocked', 0)`,
    { isBlocked: true },
  ],
  [
    "the row of the platform's block lists",
    () => "select 1 from platform_state for update",
    { isNeeded: false },
  ],
];

const licensesOf = ({ org }: PublicApiFixture, count: number): Promise<Subject[]> =>
  several(count, async () => {
    const license = await org.license({ maxIps: callers });
    return { ...license, apiKey: org.apiKey, truths: ["active"] };
  });
const urlOf = ({ database }: PublicApiFixture) => database.environment.DATABASE_URL ?? "";

testsOn("postgres", "locked rows", openPublicApiFixture, (fixture) => {
  let unrelated: Subject[] = [];
  beforeAll(async () => {
    unrelated = await licensesOf(fixture, 30);
  });

  test.each(rows)("a lock on %s delays only the requests that need it", async (_, lock, row) => {
    const { org, server } = fixture;
    const { isNeeded = true, isFirstOfDay = false, settings, isBlocked = false } = row;
    const product = await org.product(settings);
    const license = await org.license({ productId: product.productId });
    const truths = [isBlocked ? "ip_blocked" : "active", "ip_limit_reached"];
    const affected: Subject = { ...license, apiKey: product.apiKey, truths };
    // Counted, but without a license lookup.
    const unknown = { ...affected, key: "0000-0000-0000-0000", truths: ["license_not_found"] };
    if (!isFirstOfDay) await new Traffic([unknown]).send(server.port, 1, 1);
    const { organizationId } = org;
    const scope = { tier: "license", organizationId, licenseId: license.id } as const;
    const block = { id: newId(), scope, cidr: "127.0.0.0/24", note: null, expiresAtMs: null };
    if (isBlocked) await org.store.transaction((db) => addIpBlocks(db, [block], Date.now()));
    const holder = await holdLock(urlOf(fixture), lock(license.id, product.productId));
    const [first, others] = [new Traffic([affected]), new Traffic([affected])];
    first.start(server.port, 1, 5, "127.0.0.9");
    others.start(server.port, 4, 5, "127.0.0.20");
    let before = 0;
    try {
      const beside = new Traffic(unrelated);
      await beside.send(server.port, calls, callers);
      expect(beside.problems).toEqual([]);
      expect(beside.unavailable).toBeLessThanOrEqual(1);
      await until("the affected caller was answered", () => first.acknowledged + first.unavailable > 0);
      before = first.acknowledged;
    } finally {
      await holder.release();
    }
    await until("the affected caller gets verdicts again", () => first.acknowledged > before);
    await Promise.all([first.stop(), others.stop()]);
    for (const { problems, slowestMs } of [first, others]) {
      expect(problems).toEqual([]);
      expect(slowestMs).toBeLessThan(patientMs);
    }
    if (isNeeded) expect(before).toBe(0);
    else expect(first.unavailable).toBe(0);

    const verdicts = first.acknowledged + others.acknowledged;
    const sent = first.sent + others.sent + (isFirstOfDay ? 0 : 1);
    expect(await countedRequests(org, product.productId)).toBeWithin(verdicts, sent + 1);
    expect((await registeredIps(org.store, license.id)).length).toBeLessThanOrEqual(3);
  });
});

test.each(["products", "licenses", "daily_usage"])(
  "a brief lock on the table %s, as by a migration, fails no request",
  async (table) => {
    const fixture = await openPublicApiFixture(postgres.make);
    const traffic = new Traffic(await licensesOf(fixture, 8));
    const holder = await holdLock(urlOf(fixture), `lock table ${table} in access exclusive mode`);
    const asking = traffic.send(fixture.server.port, 8, 8);
    await until("a request waits for the table", () => holder.isWaitedFor());
    await new Promise((resolve) => setTimeout(resolve, 300));
    await holder.release();
    await asking;
    expect([traffic.problems, traffic.acknowledged]).toEqual([[], 8]);
    expect(await countedRequests(fixture.org)).toBe(8);
  },
);
