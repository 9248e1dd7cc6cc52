import { describe, expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { storedRow } from "../../../tests/support/stored-rows.ts";
import type { Store } from "../store.ts";
import { as, askFrom, times, validated, verdictOf } from "./calls.ts";
import type { StoreFixture } from "./fixture.ts";

export function terms(fixture: StoreFixture) {
  describe("a term that starts on first use", () => {
    test("runs from the first successful validation", async () => {
      let nowMs = Date.UTC(2030, 0, 1);
      const org = await fixture.org({ now: () => nowMs });
      const { key } = await org.license({ termMs: hourMs });
      const ask = () => verdictOf(org, key);
      nowMs += 1_000 * hourMs;
      const startedAtMs = nowMs;
      expect(await ask()).toMatchObject({ status: "active", expiresAtMs: startedAtMs + hourMs });
      nowMs += hourMs - 1;
      expect(await ask()).toMatchObject({ status: "active", expiresAtMs: startedAtMs + hourMs });
      nowMs += 1;
      expect(await ask()).toMatchObject({ status: "expired", expiresAtMs: startedAtMs + hourMs });
    });

    test("is not started by a rejection", async () => {
      const org = await fixture.org();
      const { id, key } = await org.license({ termMs: hourMs, revokedAtMs: 1 });
      const found = await verdictOf(org, key);
      expect(found).toMatchObject({ status: "revoked", expiresAtMs: null, firstUse: false });
      expect(await usage(org.store, id)).toEqual({ first_used_at: null, expires_at: null });
    });

    test("starts once under concurrent calls, and all get the same expiry", async () => {
      const org = await fixture.org();
      const { id, key } = await org.license({ termMs: hourMs, maxIps: null });
      const stores = await fixture.nodes(fixture.kind === "postgres" ? 3 : 1);
      const asked = await Promise.all(
        times(30, (index) => {
          const on = stores[index % stores.length] ?? org.store;
          return validated(org, key, { ip: `198.51.100.${index}`, on });
        }),
      );
      const ends = new Set(asked.map((one) => one.verdict.expiresAtMs));
      expect(ends.size).toBe(1);
      expect(await usage(org.store, id)).toMatchObject({ expires_at: [...ends][0] ?? null });
    });

    test("starts once if a batch contains the license twice", async () => {
      const org = await fixture.org();
      const { key } = await org.license({ termMs: hourMs });
      const results = await askFrom(org, key, ["203.0.113.1", "203.0.113.9"]);
      const [first, second] = results.map((each) => as("validated", each).verdict.expiresAtMs);
      expect(first).toBe(second ?? 0);
    });

    test("is not started again by another IP address", async () => {
      let nowMs = Date.UTC(2030, 0, 1);
      const org = await fixture.org({ now: () => nowMs });
      const { key } = await org.license({ termMs: hourMs });
      const expiresAtMs = nowMs + hourMs;
      for (const ip of ["203.0.113.1", "203.0.113.2", "203.0.113.3"]) {
        const found = await verdictOf(org, key, { ip });
        expect(found).toMatchObject({ status: "active", expiresAtMs, ipRegistered: true });
        nowMs += 60_000;
      }
    });

    test("the first use of a license without a term is recorded and changes nothing else", async () => {
      const org = await fixture.org();
      const { id, key } = await org.license();
      const before = await row(org.store, id);
      await verdictOf(org, key);
      const { first_used_at: firstUsedAt, ...after } = await row(org.store, id);
      expect(firstUsedAt).toBeGreaterThan(0);
      const registered = { ip_count: 1, ips_updated_at: expect.any(Number) };
      expect<object>({ ...after, first_used_at: null }).toEqual({ ...before, ...registered });
      await verdictOf(org, key);
      expect((await row(org.store, id)).first_used_at).toBe(firstUsedAt);
    });
  });
}

const row = ({ reads }: Store, id: string) => storedRow(reads, "licenses", { id });

async function usage(store: Store, id: string) {
  const { first_used_at, expires_at } = await row(store, id);
  return { first_used_at, expires_at };
}
