import { describe, expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { storedRow } from "../../../tests/support/stored-rows.ts";
import { as, ipAddress, times, validate, validateOne, verdict } from "./calls.ts";
import type { StoreFixture } from "./fixture.ts";

export function terms(fixture: StoreFixture) {
  describe("a term that starts on first use", () => {
    test("runs from the first successful validation", async () => {
      let nowMs = Date.UTC(2030, 0, 1);
      const org = await fixture.org({ now: () => nowMs });
      const { key } = await org.license({ termMs: hourMs });
      const ask = () => verdict(org.store, validate(org.apiKey, key));
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
      expect(await verdict(org.store, validate(org.apiKey, key))).toMatchObject({
        status: "revoked",
        expiresAtMs: null,
        firstUse: false,
      });
      expect(await usage(org.store, id)).toEqual({ first_used_at: null, expires_at: null });
    });

    test("starts once under concurrent calls, and all get the same expiry", async () => {
      const org = await fixture.org();
      const { id, key } = await org.license({ termMs: hourMs, maxIps: null });
      const stores = await fixture.nodes(fixture.kind === "postgres" ? 3 : 1);
      const asked = await Promise.all(
        times(30, (index) => {
          const store = stores[index % stores.length] ?? org.store;
          return validateOne(store, validate(org.apiKey, key, { ip: `198.51.100.${index}` }));
        }),
      );
      const ends = new Set(asked.map((results) => as("validated", results).verdict.expiresAtMs));
      expect(ends.size).toBe(1);
      expect(await usage(org.store, id)).toMatchObject({ expires_at: [...ends][0] ?? null });
    });

    test("starts once if a batch contains the license twice", async () => {
      const org = await fixture.org();
      const { key } = await org.license({ termMs: hourMs });
      const call = validate(org.apiKey, key);
      const results = await org.store.validateBatch([call, { ...call, ipAddress: ipAddress("203.0.113.9") }]);
      const [first, second] = results.map((each) => as("validated", each).verdict.expiresAtMs);
      expect(first).toBe(second ?? 0);
    });

    test("is not started again by another IP address", async () => {
      let nowMs = Date.UTC(2030, 0, 1);
      const org = await fixture.org({ now: () => nowMs });
      const { key } = await org.license({ termMs: hourMs });
      const expiresAtMs = nowMs + hourMs;
      for (const ip of ["203.0.113.1", "203.0.113.2", "203.0.113.3"]) {
        const found = await verdict(org.store, validate(org.apiKey, key, { ip }));
        expect(found).toMatchObject({ status: "active", expiresAtMs, ipRegistered: true });
        nowMs += 60_000;
      }
    });

    test("the first use of a license without a term is recorded and changes nothing else", async () => {
      const org = await fixture.org();
      const { id, key } = await org.license();
      const before = await row(org.store, id);
      await verdict(org.store, validate(org.apiKey, key));
      const { first_used_at: firstUsedAt, ...after } = await row(org.store, id);
      expect(firstUsedAt).toBeGreaterThan(0);
      expect<object>({ ...after, first_used_at: null }).toEqual({
        ...before,
        ip_count: 1,
        ips_updated_at: expect.any(Number),
      });
      await verdict(org.store, validate(org.apiKey, key));
      expect((await row(org.store, id)).first_used_at).toBe(firstUsedAt);
    });
  });
}

type Opened = Awaited<ReturnType<StoreFixture["node"]>>;

async function row(store: Opened, id: string) {
  return storedRow(store.reads, "licenses", { id });
}

async function usage(store: Opened, id: string) {
  const { first_used_at, expires_at } = await row(store, id);
  return { first_used_at, expires_at };
}
