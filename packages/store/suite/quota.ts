import { describe, expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { sql } from "kysely";
import { countedRequests } from "../../../tests/support/public-api-fixture.ts";
import type { TestOrganization } from "../../../tests/support/test-organization.ts";
import { until } from "../../../tests/support/until.ts";
import type { Call } from "../calls.ts";
import { StorageUnavailable } from "../problem.ts";
import type { OrganizationRow, ProductRow } from "../tables.ts";
import { admission, as, countTags, lookup, race, times, validate, validateOne } from "./calls.ts";
import { changeOrganization, changeProduct } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

const noonMs = Date.UTC(2030, 5, 15, 12);

export function quota(fixture: StoreFixture) {
  describe("quota", () => {
    test("a batch is admitted in order, exactly up to the limit", async () => {
      const org = await fixture.org({ dailyLimit: 4, now: () => noonMs });
      const results = await org.store.validateBatch(times(7, () => validate(org.apiKey, "X")));
      expect(results.map((one) => one.tag)).toEqual([
        ...times(4, () => "validated" as const),
        ...times(3, () => "limited" as const),
      ]);
      expect(results.map((one) => (one.tag === "unauthorized" ? null : one.quota.remaining))).toEqual([
        3, 2, 1, 0, 0, 0, 0,
      ]);
    });

    test("quota that one batch used is not available to the next", async () => {
      const org = await fixture.org({ dailyLimit: 5, now: () => noonMs });
      const batch = () => times(3, () => validate(org.apiKey, "X"));
      expect(countTags(await org.store.validateBatch(batch()), "validated")).toBe(3);
      expect(countTags(await org.store.validateBatch(batch()), "validated")).toBe(2);
      expect(countTags(await org.store.validateBatch(batch()), "validated")).toBe(0);
    });

    test.each([1, 2, 7])(
      "concurrent batches of %p on several nodes use exactly the limit",
      async (batchSize) => {
        const org = await fixture.org({ dailyLimit: 100, now: () => noonMs });
        const nodes = await fixture.nodes(3);
        const results = await race(
          nodes,
          times(250, () => validate(org.apiKey, "X")),
          batchSize,
        );
        expect(countTags(results, "validated")).toBe(100);
        expect(countTags(results, "limited")).toBe(150);
        expect(await countedRequests(org)).toBe(100);
      },
    );

    test("a rate-limited call is not counted", async () => {
      const org = await fixture.org({ dailyLimit: 2, now: () => noonMs });
      await org.store.validateBatch(times(9, () => validate(org.apiKey, "X")));
      await org.store.validateBatch(times(9, () => lookup(org.apiKey, "X")));
      expect(await countedRequests(org)).toBe(2);
    });

    test("a rate-limited call gets the limit, zero remaining, and the end of the day", async () => {
      const org = await fixture.org({ dailyLimit: 0, now: () => noonMs + 1 });
      const results = await validateOne(org.store, validate(org.apiKey, "X"));
      expect(as("limited", results).quota).toEqual({ limit: 0, remaining: 0, resetSeconds: 43_200 });
    });

    test("lookups, found or not, count like validations", async () => {
      const org = await fixture.org({ dailyLimit: 3, now: () => noonMs });
      const { key } = await org.license();
      const calls = [lookup(org.apiKey, key), lookup(org.apiKey, "X"), validate(org.apiKey, key)];
      const results = await org.store.validateBatch([...calls, lookup(org.apiKey, key)]);
      expect(results.map((one) => one.tag)).toEqual(["looked_up", "looked_up", "validated", "limited"]);
    });

    const states: [string, Partial<OrganizationRow>, Partial<ProductRow>][] = [
      ["of a suspended organization", { suspended_at: 1 }, {}],
      ["whose billing is suspended", { billing_state: "suspended" }, {}],
      ["that is archived", {}, { status: "archived" }],
      ["that is disabled", {}, { status: "disabled" }],
      ["that is deleted", {}, { deleted_at: 1 }],
    ];
    test.each(states)(
      "calls of a product %s are counted, and an exhausted limit is reported first",
      async (_which, organization, product) => {
        const org = await fixture.org({ dailyLimit: 1, now: () => noonMs });
        await changeOrganization(org, { updated_at: 1, ...organization });
        await changeProduct(org, { updated_at: 1, ...product });
        const results = await org.store.validateBatch(times(2, () => validate(org.apiKey, "X")));
        expect(results.map((one) => one.tag)).toEqual(["validated", "limited"]);
        expect(await countedRequests(org)).toBe(1);
      },
    );

    test("a call that an earlier batch counted is answered despite an exhausted quota, and not counted again", async () => {
      const org = await fixture.org({ dailyLimit: 2, now: () => noonMs });
      const { key } = await org.license();
      const first = await org.store.validateBatch(times(2, () => admission(org.apiKey)));
      expect(first.map((one) => one.tag)).toEqual(["admitted", "admitted"]);
      const results = await org.store.validateBatch([
        validate(org.apiKey, key, { counted: true }),
        validate(org.apiKey, key),
        validate(org.apiKey, key, { counted: true }),
      ]);
      expect(results.map((one) => one.tag)).toEqual(["validated", "limited", "validated"]);
      expect(await countedRequests(org)).toBe(2);
    });

    test("a limit that is raised during the day admits exactly the difference", async () => {
      const org = await fixture.org({ dailyLimit: 2, now: () => noonMs });
      const batch = () => times(6, () => validate(org.apiKey, "X"));
      expect(countTags(await org.store.validateBatch(batch()), "validated")).toBe(2);
      await changeOrganization(org, { daily_limit_override: 5 });
      expect(countTags(await org.store.validateBatch(batch()), "validated")).toBe(3);
    });

    test("a limit that is lowered below the usage admits no call and takes nothing back", async () => {
      const org = await fixture.org({ dailyLimit: 5, now: () => noonMs });
      await org.store.validateBatch(times(4, () => validate(org.apiKey, "X")));
      await changeOrganization(org, { daily_limit_override: 2 });
      expect((await validateOne(org.store, validate(org.apiKey, "X"))).tag).toBe("limited");
      expect(await countedRequests(org)).toBe(4);
    });

    test("without a limit, every call is admitted and counted", async () => {
      const org = await fixture.org({ plan: "enterprise", now: () => noonMs });
      const results = await org.store.validateBatch(times(30, () => validate(org.apiKey, "X")));
      expect(results.map((one) => (one.tag === "validated" ? one.quota.limit : "?"))).toEqual(
        times(30, () => null),
      );
      expect(await countedRequests(org)).toBe(30);
    });

    const plans: ["free" | "pro" | "enterprise", OrganizationRow["billing_state"], number | null][] = [
      ["free", "active", 10_000],
      ["pro", "active", 100_000],
      ["enterprise", "active", null],
      ["enterprise", "cancelled", 10_000],
    ];
    test.each(plans)("plan %s, billing %s: %p a day", async (plan, billing_state, limit) => {
      const org = await fixture.org({ plan });
      await changeOrganization(org, { billing_state });
      const results = as("validated", await validateOne(org.store, validate(org.apiKey, "X")));
      expect(results.quota.limit).toBe(limit);
    });

    test("the counter starts again at midnight UTC", async () => {
      let nowMs = Date.UTC(2030, 5, 15, 23, 59, 59, 999);
      const org = await fixture.org({ dailyLimit: 1, now: () => nowMs });
      const next = async () => (await validateOne(org.store, validate(org.apiKey, "X"))).tag;
      expect([await next(), await next()]).toEqual(["validated", "limited"]);
      nowMs += 1;
      expect([await next(), await next()]).toEqual(["validated", "limited"]);
    });

    test("a clock that steps back over midnight and forward again grants no quota twice", async () => {
      let nowMs = noonMs;
      const org = await fixture.org({ dailyLimit: 3, now: () => nowMs });
      const passed = async () =>
        countTags(await org.store.validateBatch(times(5, () => validate(org.apiKey, "X"))), "validated");
      expect(await passed()).toBe(3);
      nowMs += dayMs;
      expect(await passed()).toBe(3);
      nowMs -= dayMs;
      expect(await passed()).toBe(0);
      nowMs += dayMs;
      expect(await passed()).toBe(0);
    });

    test("products are counted separately, also within one batch", async () => {
      const org = await fixture.org({ dailyLimit: 2, now: () => noonMs });
      const other = await org.product();
      const calls = times(6, (index) => validate(index % 2 === 0 ? org.apiKey : other.apiKey, "X"));
      const results = await org.store.validateBatch(calls);
      expect(results.map((one) => one.tag)).toEqual([
        ...times(4, () => "validated" as const),
        ...times(2, () => "limited" as const),
      ]);
      expect(await countedRequests(org, other.productId)).toBe(2);
    });

    test("a batch that fails after counting costs no quota, and the next one is counted", async () => {
      const org = await fixture.org({ dailyLimit: 10, now: () => noonMs });
      const { id, key } = await org.license({ maxIps: 3 });
      await org.store.validateBatch([validate(org.apiKey, key, { ip: "10.3.0.1" })]);
      await refuseRegistrations(fixture, org, id);
      const calls = [
        validate(org.apiKey, key, { ip: "10.3.0.1" }),
        validate(org.apiKey, key, { ip: "10.3.0.2" }),
      ];
      for (let round = 0; round < 3; round++) {
        const failure = await org.store.validateBatch(calls).then(
          () => null,
          (error: unknown) => error,
        );
        // PostgreSQL may still be unavailable after the previous failure, and then nothing is counted.
        expect(failure).toBeInstanceOf(StorageUnavailable);
        expect(await countedRequests(org)).toBe(1);
      }
      await until("validations are answered again", async () => {
        const [results] = await org.store
          .validateBatch([validate(org.apiKey, key, { ip: "10.3.0.1" })])
          .catch(() => []);
        return results?.tag === "validated";
      });
      expect(await countedRequests(org)).toBe(2);
    });

    test("the body of an unauthorized call is never evaluated", async () => {
      const { store, apiKey } = await fixture.org();
      let asked = 0;
      const call = validate(apiKey, "X");
      const curious = (hash: string): Call => ({
        ...call,
        apiKey: { ...call.apiKey, hash },
        question: () => {
          asked += 1;
          return call.question();
        },
      });
      await store.validateBatch([curious("f".repeat(64))]);
      expect(asked).toBe(0);
      await store.validateBatch([curious(call.apiKey.hash)]);
      expect(asked).toBe(1);
    });
  });
}

/** Makes the database report a full disk when an IP address of this license is registered. */
async function refuseRegistrations(
  { kind }: StoreFixture,
  { store }: TestOrganization,
  licenseId: string,
): Promise<void> {
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
