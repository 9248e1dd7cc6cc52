import { describe, expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { address, as, judgeOne, times, validate, verdict } from "./calls.ts";
import type { Stage } from "./stage.ts";

export function terms(stage: Stage) {
  describe("a term that starts with the first use", () => {
    test("does not run before the license has passed a validation, and runs from that moment", async () => {
      let nowMs = Date.UTC(2030, 0, 1);
      const seller = await stage.seller({ now: () => nowMs });
      const { key } = await seller.license({ termMs: hourMs });
      const ask = () => verdict(seller.store, validate(seller.apiKey, key));
      nowMs += 1_000 * hourMs;
      const startedAtMs = nowMs;
      expect(await ask()).toMatchObject({ status: "active", expiresAtMs: startedAtMs + hourMs });
      nowMs += hourMs - 1;
      expect(await ask()).toMatchObject({ status: "active", expiresAtMs: startedAtMs + hourMs });
      nowMs += 1;
      expect(await ask()).toMatchObject({ status: "expired", expiresAtMs: startedAtMs + hourMs });
    });

    test("is not started by a refusal", async () => {
      const seller = await stage.seller();
      const { id, key } = await seller.license({ termMs: hourMs, revokedAtMs: 1 });
      expect(await verdict(seller.store, validate(seller.apiKey, key))).toMatchObject({
        status: "revoked",
        expiresAtMs: null,
        firstUse: false,
      });
      expect(await usage(seller.store, id)).toEqual({ first_used_at: null, expires_at: null });
    });

    test("starts once, however many ask at once, and all are told the same end", async () => {
      const seller = await stage.seller();
      const { id, key } = await seller.license({ termMs: hourMs, maxIps: null });
      const others = stage.kind === "postgres" ? [await stage.node(), await stage.node()] : [];
      const stores = [seller.store, ...others];
      const asked = await Promise.all(
        times(30, (index) => {
          const store = stores[index % stores.length] ?? seller.store;
          return judgeOne(store, validate(seller.apiKey, key, { ip: `198.51.100.${index}` }));
        }),
      );
      const ends = new Set(asked.map((judged) => as("validated", judged).verdict.expiresAtMs));
      expect(ends.size).toBe(1);
      expect(await usage(seller.store, id)).toMatchObject({ expires_at: [...ends][0] ?? null });
    });

    test("a batch in which one license comes twice starts it once", async () => {
      const seller = await stage.seller();
      const { key } = await seller.license({ termMs: hourMs });
      const call = validate(seller.apiKey, key);
      const judged = await seller.store.judge([call, { ...call, address: address("203.0.113.9") }]);
      const [first, second] = judged.map((each) => as("validated", each).verdict.expiresAtMs);
      expect(first).toBe(second ?? 0);
    });

    test("the first use of a license without a term is written down and changes nothing else", async () => {
      const seller = await stage.seller();
      const { id, key } = await seller.license();
      const before = await row(seller.store, id);
      await verdict(seller.store, validate(seller.apiKey, key));
      const { first_used_at: firstUsedAt, ...after } = await row(seller.store, id);
      expect(firstUsedAt).toBeGreaterThan(0);
      expect<object>({ ...after, first_used_at: null }).toEqual({
        ...before,
        ip_count: 1,
        ips_updated_at: expect.any(Number),
      });
      await verdict(seller.store, validate(seller.apiKey, key));
      expect((await row(seller.store, id)).first_used_at).toBe(firstUsedAt);
    });
  });
}

type Opened = Awaited<ReturnType<Stage["node"]>>;

async function row(store: Opened, id: string) {
  return store.reads.selectFrom("licenses").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

async function usage(store: Opened, id: string) {
  const { first_used_at, expires_at } = await row(store, id);
  return { first_used_at, expires_at };
}
