import { describe, expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { storedRow } from "../../../tests/support/stored-rows.ts";
import type { Store } from "../store.ts";
import { as, askFrom, times, validated, verdictOf } from "./calls.ts";
import { changeLicense } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

const row = ({ reads }: Store, id: string) => storedRow(reads, "licenses", { id });

export function terms(fixture: StoreFixture) {
  describe("terms from first use", () => {
    test("a term runs from the first validation that is not refused, and is not started again by another IP address", async () => {
      let nowMs = Date.UTC(2030, 0, 1);
      const org = await fixture.org({ now: () => nowMs });
      const { id, key } = await org.license({ termMs: hourMs, revokedAtMs: 1 });
      const expectAnswer = async (ip: string, answer: object) =>
        expect(await verdictOf(org, key, { ip })).toMatchObject(answer);
      await expectAnswer("203.0.113.1", { status: "revoked", expiresAtMs: null, firstUse: false });
      expect(await row(org.store, id)).toMatchObject({ first_used_at: null, expires_at: null });
      await changeLicense(await fixture.node(), id, { revoked_at: null });
      nowMs += 1_000 * hourMs;
      const expiresAtMs = nowMs + hourMs;
      for (const ip of ["203.0.113.1", "203.0.113.2"]) {
        await expectAnswer(ip, { status: "active", expiresAtMs, ipRegistered: true });
        nowMs += 60_000;
      }
      nowMs = expiresAtMs - 1;
      await expectAnswer("203.0.113.1", { status: "active", expiresAtMs });
      nowMs += 1;
      await expectAnswer("203.0.113.1", { status: "expired", expiresAtMs });
    });

    test("a term starts once under concurrent calls, also of one batch, and all get the same expiry", async () => {
      const org = await fixture.org();
      const { id, key } = await org.license({ termMs: hourMs, maxIps: null });
      const stores = await fixture.nodes(fixture.kind === "postgres" ? 3 : 1);
      const asked = await Promise.all(
        times(30, (index) => {
          const on = stores[index % stores.length] ?? org.store;
          return validated(org, key, { ip: `198.51.100.${index}`, on });
        }),
      );
      const { expires_at } = await row(org.store, id);
      expect(new Set(asked.map(({ verdict }) => verdict.expiresAtMs))).toEqual(new Set([expires_at]));
      const another = await org.license({ termMs: hourMs });
      const results = await askFrom(org, another.key, ["203.0.113.1", "203.0.113.9"]);
      const [first, second] = results.map((each) => as("validated", each).verdict.expiresAtMs);
      expect(first).toBe(second ?? 0);
    });

    test("a term that starts within the warning period of its product is kept for the check of expiries", async () => {
      const org = await fixture.org({ settings: { expiring_soon_days: 3 } });
      const unannounced = () =>
        org.store.reads.selectFrom("unannounced_expiries").select("license_id").execute();
      const [short, long] = await Promise.all(
        [72, 73].map((hours) => org.license({ termMs: hours * hourMs })),
      );
      for (const key of [short?.key, short?.key, long?.key]) await verdictOf(org, key ?? "");
      const ids = (await unannounced()).map((each) => each.license_id);
      expect(ids.filter((id) => id === short?.id || id === long?.id)).toEqual([short?.id ?? ""]);
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
