import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
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
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";
import { ask, holdLock, keepAsking, type Question } from "./locked-rows.ts";

setDefaultTimeout(120_000);

const calls = 250;
const callers = 16;
/** The guarantee is two seconds. A busy machine gets more. */
const patientMs = 6_000;

interface LockedRow {
  /** What the other session locks, given the license and product of the affected caller. */
  lock(licenseId: string, productId: string): [statement: string, values: unknown[]];
  /** Whether the affected caller needs the row. */
  readonly isNeeded?: false;
  /** For products without a request today. */
  readonly isFirstOfDay?: true;
  readonly settings?: Parameters<PublicApiFixture["org"]["product"]>[0];
  readonly isBlocked?: true;
}

const day = () => quotaDay(Date.now());
const lockLicense: LockedRow["lock"] = (id) => ["select 1 from licenses where id = $1 for update", [id]];

const rows: readonly [name: string, row: LockedRow][] = [
  ["a license row that a new IP address needs", { lock: lockLicense }],
  ["a license row that the first use needs", { lock: lockLicense, settings: { track_ip_on_validate: 0 } }],
  [
    "a registered IP address",
    {
      lock: (id) => [
        "insert into license_ips (license_id, ip, registered_at) values ($1, '127.0.0.9', 1)",
        [id],
      ],
    },
  ],
  [
    "a product's counter",
    { lock: (_, id) => ["select 1 from daily_usage where product_id = $1 for update", [id]] },
  ],
  [
    "the first counter of a day that another session has not committed",
    {
      lock: (_, id) => [
        "insert into daily_usage (product_id, day, used, last_granted) values ($1, $2, 1, 1)",
        [id, day()],
      ],
      isFirstOfDay: true,
    },
  ],
  [
    "the product itself, before its first request of the day",
    { lock: (_, id) => ["select 1 from products where id = $1 for update", [id]], isFirstOfDay: true },
  ],
  [
    "a refusal that another session has not committed",
    {
      lock: (id) => [
        "insert into recorded_refusals (hour, license_id, ip, type, in_summary) values ($1, $2, '127.0.0.9', 'license.ip_blocked', 0)",
        [refusalHour(Date.now()), id],
      ],
      isBlocked: true,
    },
  ],
  [
    "the row of the platform's block lists",
    { lock: () => ["select 1 from platform_state for update", []], isNeeded: false },
  ],
];

const licensesOf = async ({ org }: PublicApiFixture, count: number): Promise<Question[]> => {
  const questions: Question[] = [];
  for (let index = 0; index < count; index++)
    questions.push({ apiKey: org.apiKey, key: (await org.license({ maxIps: callers })).key });
  return questions;
};
const urlOf = ({ database: { location } }: PublicApiFixture) =>
  location.kind === "postgres" ? location.url : "";

testsOn("postgres", "while another session locks", openPublicApiFixture, (fixture) => {
  let unrelated: Question[] = [];
  beforeAll(async () => {
    unrelated = await licensesOf(fixture, 30);
  });

  test.each(rows)("%s, it delays only the requests that need it", async (_, row) => {
    const { org, server } = fixture;
    const { lock, isNeeded = true, isFirstOfDay = false, settings, isBlocked = false } = row;
    const product = await org.product(settings);
    const license = await org.license({ productId: product.productId });
    const affected: Question = { apiKey: product.apiKey, key: license.key };
    // Counted, but without a license lookup.
    const unknown = { ...affected, key: "0000-0000-0000-0000" };
    if (!isFirstOfDay) await ask(server.port, [unknown], { count: 1, callers: 1 });
    if (isBlocked) await blockFor(fixture, license.id);
    const holder = await holdLock(urlOf(fixture), ...lock(license.id, product.productId));
    const askFrom = (ip: string) => keepAsking(server.port, affected, ip);
    const first = askFrom("127.0.0.9");
    const asking = [first, ...[20, 21, 22, 23].map((last) => askFrom(`127.0.0.${last}`))];
    let before = 0;
    try {
      const answers = await ask(server.port, unrelated, { count: calls, callers });
      expect(answers.others).toEqual([]);
      expect(answers.unavailable).toBeLessThanOrEqual(1);
      expect([...answers.statuses.keys()]).toEqual(["active"]);
      await until("the affected caller was answered", () => first.answers.all > 0);
      before = first.answers.verdicts;
    } finally {
      await holder.release();
    }
    await until("the affected caller gets verdicts again", () => first.answers.verdicts > before);
    await Promise.all(asking.map((one) => one.stop()));
    const all = asking.map(({ answers }) => answers);
    for (const { others, slowestMs } of all) {
      expect(others).toEqual([]);
      expect(slowestMs).toBeLessThan(patientMs);
    }
    if (isNeeded) expect(before).toBe(0);
    else expect(first.answers.unavailable).toBe(0);

    const verdicts = all.reduce((sum, answers) => sum + answers.verdicts, 0);
    const sent = all.reduce((sum, answers) => sum + answers.all, isFirstOfDay ? 0 : 1);
    expect(await countedRequests(org, product.productId)).toBeWithin(verdicts, sent + 1);
    expect((await registeredIps(org.store, license.id)).length).toBeLessThanOrEqual(3);
  });
});

test.each(["products", "licenses", "daily_usage"])(
  "a table that is locked briefly, as by a migration, fails no request: %s",
  async (table) => {
    const fixture = await openPublicApiFixture(postgres.make);
    const questions = await licensesOf(fixture, 8);
    const holder = await holdLock(urlOf(fixture), `lock table ${table} in access exclusive mode`);
    const asking = ask(fixture.server.port, questions, { count: 8, callers: 8 });
    await until("a request waits for the table", () => holder.isWaitedFor());
    await new Promise((resolve) => setTimeout(resolve, 300));
    await holder.release();
    expect([...(await asking).statuses]).toEqual([["active", 8]]);
    expect(await countedRequests(fixture.org)).toBe(8);
  },
);

async function blockFor({ org }: PublicApiFixture, licenseId: string): Promise<void> {
  const { store, organizationId } = org;
  const scope = { tier: "license", organizationId, licenseId } as const;
  const block = { id: newId(), scope, cidr: "127.0.0.0/24", note: null, expiresAtMs: null };
  await store.transaction((db) => addIpBlocks(db, [block], Date.now()));
}
