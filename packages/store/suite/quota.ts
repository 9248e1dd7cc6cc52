import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { countedRequests } from "../../../tests/support/public-api-fixture.ts";
import type { TestOrganization } from "../../../tests/support/test-organization.ts";
import { until } from "../../../tests/support/until.ts";
import { StorageUnavailable } from "../errors/problem.ts";
import type { OrganizationRow } from "../tables/organizations.ts";
import {
  admission,
  ask,
  askFrom,
  countTags,
  lookup,
  race,
  tagsOf,
  times,
  validate,
  validateAll,
  validated,
} from "./calls.ts";
import { changeOrganization } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

const noonMs = Date.UTC(2030, 5, 15, 12);

export function quota(fixture: StoreFixture) {
  describe("quota", () => {
    const limited = (dailyLimit: number) => fixture.org({ dailyLimit, now: () => noonMs });
    /** What becomes of a batch of which as many calls are admitted and refused. */
    const admitted = (count: number, refused: number) => [
      ...times(count, () => "validated"),
      ...times(refused, () => "limited"),
    ];

    test("a batch is admitted in order, exactly up to the limit, and each result has the rest of the day", async () => {
      const org = await limited(4);
      const results = await validateAll(
        org.store,
        times(7, () => validate(org.apiKey, "X")),
      );
      expect(results.map(({ tag }) => tag as string)).toEqual(admitted(4, 3));
      const quotas = results.map((one) => (one.tag === "unauthorized" ? null : one.quota));
      expect(quotas.map((quota) => quota?.remaining)).toEqual([3, 2, 1, 0, 0, 0, 0]);
      expect(quotas.at(-1)).toEqual({ limit: 4, remaining: 0, resetSeconds: 43_200 });
    });

    test.each([1, 2, 7])("concurrent batches of %p on several nodes use exactly the limit", async (size) => {
      const org = await limited(100);
      const calls = times(250, () => validate(org.apiKey, "X"));
      const results = await race(await fixture.nodes(3), calls, size);
      expect([countTags(results, "validated"), countTags(results, "limited")]).toEqual([100, 150]);
      expect(await countedRequests(org)).toBe(100);
    });

    test("validations and lookups, found or not, count alike, and calls beyond the limit do not count", async () => {
      const org = await limited(3);
      const { key } = await org.license();
      const calls = [lookup(org.apiKey, key), lookup(org.apiKey, "X"), validate(org.apiKey, key)];
      const results = await validateAll(org.store, [...calls, lookup(org.apiKey, key)]);
      expect(results.map(({ tag }) => tag)).toEqual(["looked_up", "looked_up", "validated", "limited"]);
      for (const make of [validate, lookup]) expect(await tagsOf(org, 2, make)).toEqual(admitted(0, 2));
      expect(await countedRequests(org)).toBe(3);
    });

    test("a call that an earlier batch counted is answered despite an exhausted quota, and not counted again", async () => {
      const org = await limited(2);
      const { key } = await org.license();
      expect(await tagsOf(org, 2, admission)).toEqual(["admitted", "admitted"]);
      const calls = [true, false, true].map((counted) => validate(org.apiKey, key, { counted }));
      const results = await validateAll(org.store, calls);
      expect(results.map((one) => one.tag)).toEqual(["validated", "limited", "validated"]);
      expect(await countedRequests(org)).toBe(2);
    });

    test("a limit that another node raises during the day admits exactly the difference", async () => {
      const org = await limited(2);
      expect(await tagsOf(org, 6)).toEqual(admitted(2, 4));
      await changeOrganization({ ...org, store: await fixture.node() }, { daily_limit_override: 5 });
      expect(await tagsOf(org, 6)).toEqual(admitted(3, 3));
      expect(await tagsOf(org, 6)).toEqual(admitted(0, 6));
    });

    test("a limit that another node lowers below the usage admits no call and takes nothing back", async () => {
      const org = await limited(5);
      await tagsOf(org, 4);
      for (const daily_limit_override of [2, 0]) {
        await changeOrganization({ ...org, store: await fixture.node() }, { daily_limit_override });
        expect(await tagsOf(org, 1)).toEqual(["limited"]);
        expect(await countedRequests(org)).toBe(4);
      }
    });

    test("without a limit, every call is admitted and counted", async () => {
      const org = await fixture.org({ plan: "enterprise", now: () => noonMs });
      expect(await tagsOf(org, 30)).toEqual(admitted(30, 0));
      expect((await validated(org, "X")).quota.limit).toBeNull();
      expect(await countedRequests(org)).toBe(31);
    });

    const plans: ["free" | "pro" | "enterprise", OrganizationRow["billing_state"], number | null][] = [
      ["free", "active", 10_000],
      ["pro", "active", 100_000],
      ["enterprise", "active", null],
      ["enterprise", "cancelled", 10_000],
    ];
    test.each(plans)("plan %s, billing %s, has the daily limit %p", async (plan, billing_state, limit) => {
      const org = await fixture.org({ plan });
      await changeOrganization(org, { billing_state });
      expect((await validated(org, "X")).quota.limit).toBe(limit);
    });

    test("the counter starts again at midnight UTC, and a clock that steps back over it grants no quota twice", async () => {
      let nowMs = Date.UTC(2030, 5, 15, 23, 59, 59, 999);
      const org = await fixture.org({ dailyLimit: 3, now: () => nowMs });
      for (const [laterMs, count] of [
        [0, 3],
        [1, 3],
        [-1, 0],
        [1, 0],
      ] as const) {
        nowMs += laterMs;
        expect(await tagsOf(org, 5)).toEqual(admitted(count, 5 - count));
      }
    });

    test("products are counted separately, also within one batch", async () => {
      const org = await limited(2);
      const other = await org.product();
      const calls = times(6, (index) => validate(index % 2 === 0 ? org.apiKey : other.apiKey, "X"));
      const results = await validateAll(org.store, calls);
      expect(results.map(({ tag }) => tag as string)).toEqual(admitted(4, 2));
      expect(await countedRequests(org, other.productId)).toBe(2);
    });

    test("a batch that fails after counting costs no quota, and the next one is counted", async () => {
      const org = await limited(10);
      const { id, key } = await org.license({ maxIps: 3 });
      await ask(org, key, { ip: "10.3.0.1" });
      await refuseRegistrations(fixture, org, id);
      for (let round = 0; round < 3; round++) {
        const failure = await askFrom(org, key, ["10.3.0.1", "10.3.0.2"]).catch((error: unknown) => error);
        // PostgreSQL may still be unavailable after the previous failure, and then nothing is counted.
        expect(failure).toBeInstanceOf(StorageUnavailable);
        expect(await countedRequests(org)).toBe(1);
      }
      await until("validations are answered again", async () => {
        const [result] = await askFrom(org, key, ["10.3.0.1"]).catch(() => []);
        return result?.tag === "validated";
      });
      expect(await countedRequests(org)).toBe(2);
    });
  });
}

/** Makes the database report a full disk when an IP address of this license is registered. */
async function refuseRegistrations({ kind }: StoreFixture, { store }: TestOrganization, licenseId: string) {
  const when = `when (new.license_id = '${licenseId}')`;
  const statements =
    kind === "sqlite"
      ? [
          `create trigger full_${licenseId.replaceAll("-", "")} before insert on license_ips ${when}
           begin select raise(abort, 'no room'); end`,
        ]
      : [
          `create or replace function disk_is_full() returns trigger language plpgsql
           as 'begin raise exception using errcode = ''53100'', message = ''no room''; end'`,
          `create trigger full_${licenseId.replaceAll("-", "")} before insert on license_ips for each row ${when}
           execute function disk_is_full()`,
        ];
  await store.transaction(async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db);
  });
}
