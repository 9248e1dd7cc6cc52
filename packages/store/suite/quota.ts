import { describe, expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { sql } from "kysely";
import { countedRequests } from "../../../tests/support/scene.ts";
import type { Seller } from "../../../tests/support/seller.ts";
import { until } from "../../../tests/support/until.ts";
import type { Call } from "../calls.ts";
import { StorageUnavailable } from "../problem.ts";
import type { OrganizationRow, ProductRow } from "../tables.ts";
import { admission, as, countTags, judgeOne, lookup, race, times, validate } from "./calls.ts";
import { changeOrganization, changeProduct } from "./changes.ts";
import type { Stage } from "./stage.ts";

const noonMs = Date.UTC(2030, 5, 15, 12);

export function quota(stage: Stage) {
  describe("quota", () => {
    test("a batch is let through in order, exactly as far as the limit reaches", async () => {
      const seller = await stage.seller({ dailyLimit: 4, now: () => noonMs });
      const judged = await seller.store.judge(times(7, () => validate(seller.apiKey, "X")));
      expect(judged.map((one) => one.tag)).toEqual([
        ...times(4, () => "validated" as const),
        ...times(3, () => "limited" as const),
      ]);
      expect(judged.map((one) => (one.tag === "unauthorized" ? null : one.quota.remaining))).toEqual([
        3, 2, 1, 0, 0, 0, 0,
      ]);
    });

    test("what one batch used is gone for the next", async () => {
      const seller = await stage.seller({ dailyLimit: 5, now: () => noonMs });
      const batch = () => times(3, () => validate(seller.apiKey, "X"));
      expect(countTags(await seller.store.judge(batch()), "validated")).toBe(3);
      expect(countTags(await seller.store.judge(batch()), "validated")).toBe(2);
      expect(countTags(await seller.store.judge(batch()), "validated")).toBe(0);
    });

    test.each([1, 2, 7])("racing batches of %p on several nodes use exactly the limit", async (batchSize) => {
      const seller = await stage.seller({ dailyLimit: 100, now: () => noonMs });
      const nodes = [
        seller.store,
        await stage.node({ now: () => noonMs }),
        await stage.node({ now: () => noonMs }),
      ];
      const judged = await race(
        nodes,
        times(250, () => validate(seller.apiKey, "X")),
        batchSize,
      );
      expect(countTags(judged, "validated")).toBe(100);
      expect(countTags(judged, "limited")).toBe(150);
      expect(await countedRequests(seller)).toBe(100);
    });

    test("a call that is limited is not counted", async () => {
      const seller = await stage.seller({ dailyLimit: 2, now: () => noonMs });
      await seller.store.judge(times(9, () => validate(seller.apiKey, "X")));
      await seller.store.judge(times(9, () => lookup(seller.apiKey, "X")));
      expect(await countedRequests(seller)).toBe(2);
    });

    test("a limited call is told the limit, that nothing is left, and when the day ends", async () => {
      const seller = await stage.seller({ dailyLimit: 0, now: () => noonMs + 1 });
      const judged = await judgeOne(seller.store, validate(seller.apiKey, "X"));
      expect(as("limited", judged).quota).toEqual({ limit: 0, remaining: 0, resetSeconds: 43_200 });
    });

    test("lookups, found or not, count like validations", async () => {
      const seller = await stage.seller({ dailyLimit: 3, now: () => noonMs });
      const { key } = await seller.license();
      const calls = [lookup(seller.apiKey, key), lookup(seller.apiKey, "X"), validate(seller.apiKey, key)];
      const judged = await seller.store.judge([...calls, lookup(seller.apiKey, key)]);
      expect(judged.map((one) => one.tag)).toEqual(["looked_up", "looked_up", "validated", "limited"]);
    });

    const states: [string, Partial<OrganizationRow>, Partial<ProductRow>][] = [
      ["of a suspended organization", { suspended_at: 1 }, {}],
      ["whose billing is suspended", { billing_state: "suspended" }, {}],
      ["that is archived", {}, { status: "archived" }],
      ["that is disabled", {}, { status: "disabled" }],
      ["that is deleted", {}, { deleted_at: 1 }],
    ];
    test.each(states)(
      "calls of a product %s count, and the limit is told first",
      async (_which, organization, product) => {
        const seller = await stage.seller({ dailyLimit: 1, now: () => noonMs });
        await changeOrganization(seller, { updated_at: 1, ...organization });
        await changeProduct(seller, { updated_at: 1, ...product });
        const judged = await seller.store.judge(times(2, () => validate(seller.apiKey, "X")));
        expect(judged.map((one) => one.tag)).toEqual(["validated", "limited"]);
        expect(await countedRequests(seller)).toBe(1);
      },
    );

    test("a call counted by an earlier batch is answered, though the rest is used up, and not counted again", async () => {
      const seller = await stage.seller({ dailyLimit: 2, now: () => noonMs });
      const { key } = await seller.license();
      const first = await seller.store.judge(times(2, () => admission(seller.apiKey)));
      expect(first.map((one) => one.tag)).toEqual(["admitted", "admitted"]);
      const judged = await seller.store.judge([
        validate(seller.apiKey, key, { counted: true }),
        validate(seller.apiKey, key),
        validate(seller.apiKey, key, { counted: true }),
      ]);
      expect(judged.map((one) => one.tag)).toEqual(["validated", "limited", "validated"]);
      expect(await countedRequests(seller)).toBe(2);
    });

    test("a limit that is raised during the day lets exactly the difference through", async () => {
      const seller = await stage.seller({ dailyLimit: 2, now: () => noonMs });
      const batch = () => times(6, () => validate(seller.apiKey, "X"));
      expect(countTags(await seller.store.judge(batch()), "validated")).toBe(2);
      await changeOrganization(seller, { daily_limit_override: 5 });
      expect(countTags(await seller.store.judge(batch()), "validated")).toBe(3);
    });

    test("a limit that is lowered below what was used lets nobody through and takes nothing back", async () => {
      const seller = await stage.seller({ dailyLimit: 5, now: () => noonMs });
      await seller.store.judge(times(4, () => validate(seller.apiKey, "X")));
      await changeOrganization(seller, { daily_limit_override: 2 });
      expect((await judgeOne(seller.store, validate(seller.apiKey, "X"))).tag).toBe("limited");
      expect(await countedRequests(seller)).toBe(4);
    });

    test("without a limit everything passes and is counted all the same", async () => {
      const seller = await stage.seller({ plan: "enterprise", now: () => noonMs });
      const judged = await seller.store.judge(times(30, () => validate(seller.apiKey, "X")));
      expect(judged.map((one) => (one.tag === "validated" ? one.quota.limit : "?"))).toEqual(
        times(30, () => null),
      );
      expect(await countedRequests(seller)).toBe(30);
    });

    const plans: ["free" | "pro" | "enterprise", OrganizationRow["billing_state"], number | null][] = [
      ["free", "active", 10_000],
      ["pro", "active", 100_000],
      ["enterprise", "active", null],
      ["enterprise", "cancelled", 10_000],
    ];
    test.each(plans)("plan %s, billing %s: %p a day", async (plan, billing_state, limit) => {
      const seller = await stage.seller({ plan });
      await changeOrganization(seller, { billing_state });
      const judged = as("validated", await judgeOne(seller.store, validate(seller.apiKey, "X")));
      expect(judged.quota.limit).toBe(limit);
    });

    test("the counter starts again at midnight UTC", async () => {
      let nowMs = Date.UTC(2030, 5, 15, 23, 59, 59, 999);
      const seller = await stage.seller({ dailyLimit: 1, now: () => nowMs });
      const next = async () => (await judgeOne(seller.store, validate(seller.apiKey, "X"))).tag;
      expect([await next(), await next()]).toEqual(["validated", "limited"]);
      nowMs += 1;
      expect([await next(), await next()]).toEqual(["validated", "limited"]);
    });

    test("a clock that steps back over midnight and forward again grants nothing twice", async () => {
      let nowMs = noonMs;
      const seller = await stage.seller({ dailyLimit: 3, now: () => nowMs });
      const passed = async () =>
        countTags(await seller.store.judge(times(5, () => validate(seller.apiKey, "X"))), "validated");
      expect(await passed()).toBe(3);
      nowMs += dayMs;
      expect(await passed()).toBe(3);
      nowMs -= dayMs;
      expect(await passed()).toBe(0);
      nowMs += dayMs;
      expect(await passed()).toBe(0);
    });

    test("products count apart, also within one batch", async () => {
      const seller = await stage.seller({ dailyLimit: 2, now: () => noonMs });
      const other = await seller.product();
      const calls = times(6, (index) => validate(index % 2 === 0 ? seller.apiKey : other.apiKey, "X"));
      const judged = await seller.store.judge(calls);
      expect(judged.map((one) => one.tag)).toEqual([
        ...times(4, () => "validated" as const),
        ...times(2, () => "limited" as const),
      ]);
      expect(await countedRequests(seller, other.productId)).toBe(2);
    });

    test("a batch that fails after it was counted costs no quota, and the next one is counted", async () => {
      const seller = await stage.seller({ dailyLimit: 10, now: () => noonMs });
      const { id, key } = await seller.license({ maxIps: 3 });
      await seller.store.judge([validate(seller.apiKey, key, { ip: "10.3.0.1" })]);
      await refuseRegistrations(stage, seller, id);
      const calls = [
        validate(seller.apiKey, key, { ip: "10.3.0.1" }),
        validate(seller.apiKey, key, { ip: "10.3.0.2" }),
      ];
      for (let turn = 0; turn < 3; turn++) {
        const failure = await seller.store.judge(calls).then(
          () => null,
          (error: unknown) => error,
        );
        // PostgreSQL may still be down after the failure before, and then nothing is counted at all.
        expect(failure).toBeInstanceOf(StorageUnavailable);
        expect(await countedRequests(seller)).toBe(1);
      }
      await until("validations are answered again", async () => {
        const [judged] = await seller.store
          .judge([validate(seller.apiKey, key, { ip: "10.3.0.1" })])
          .catch(() => []);
        return judged?.tag === "validated";
      });
      expect(await countedRequests(seller)).toBe(2);
    });

    test("what an unauthorized call wants is never asked", async () => {
      const { store, apiKey } = await stage.seller();
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
      await store.judge([curious("f".repeat(64))]);
      expect(asked).toBe(0);
      await store.judge([curious(call.apiKey.hash)]);
      expect(asked).toBe(1);
    });
  });
}

/** From now on the database says that the disk is full when an address of this license is registered. */
async function refuseRegistrations({ kind }: Stage, { store }: Seller, licenseId: string): Promise<void> {
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
