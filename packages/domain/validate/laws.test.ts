import { expect, test } from "bun:test";
import fc from "fast-check";
import { caller, license, product, rarely, version } from "./any-facts.ts";
import { decide } from "./decide.ts";
import type { ProductFacts } from "./facts.ts";
import { nowMs, sampleLicense, sampleProduct } from "./sample-facts.ts";

test("a blocked address is never valid and never registered, whatever else holds", () => {
  fc.assert(
    fc.property(product, license, caller, (product, license, caller) => {
      const verdict = decide(product, license, { ...caller, blocked: true }, nowMs);
      expect(verdict.status).not.toBe("active");
      expect(verdict.effect).toBe("none");
    }),
    { numRuns: 2_000 },
  );
});

test("only a valid answer registers, and says so", () => {
  fc.assert(
    fc.property(product, license, caller, (product, license, caller) => {
      const verdict = decide(product, license, caller, nowMs);
      expect(verdict.effect === "register_ip").toBe(verdict.ipRegistered === true);
      if (verdict.effect === "register_ip") expect(verdict.status).toBe("active");
    }),
    { numRuns: 2_000 },
  );
});

test("no sequence of requests gives a license more addresses than it may have", () => {
  const request = fc.record({
    ip: fc.integer({ min: 0, max: 9 }),
    product,
    blocked: rarely(),
    version: fc.option(version),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(request, { maxLength: 40 }), (max, requests) => {
      const slots = new Set<number>();
      for (const { ip, product, blocked, version } of requests) {
        const ips = { max, registered: slots.size };
        const registered = slots.has(ip);
        const verdict = decide(product, { ...sampleLicense, ips }, { blocked, registered, version }, nowMs);
        if (verdict.effect === "register_ip") {
          expect(registered).toBe(false);
          slots.add(ip);
        }
        if (verdict.ipCount !== null) expect(verdict.ipCount).toBe(slots.size);
        expect(slots.size).toBeLessThanOrEqual(max);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("with first_only, no sequence of requests registers a second address", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.integer({ min: 0, max: 9 })),
      (max, addresses) => {
        const slots = new Set<number>();
        const onlyFirst: ProductFacts = { ...sampleProduct, registration: "first_only" };
        for (const ip of addresses) {
          const facts = { ...sampleLicense, ips: { max, registered: slots.size } };
          const who = { blocked: false, registered: slots.has(ip), version: null };
          if (decide(onlyFirst, facts, who, nowMs).effect === "register_ip") slots.add(ip);
        }
        expect(slots.size).toBe(Math.min(1, addresses.length));
      },
    ),
  );
});

test("a pin only narrows: what passes with it passes without it", () => {
  fc.assert(
    fc.property(product, license, caller, (product, license, caller) => {
      const pinned = decide(product, license, caller, nowMs);
      const free = decide(product, { ...license, pin: null }, caller, nowMs);
      if (pinned.versionValid === true) expect(free.versionValid).toBe(true);
      if (pinned.status === "active") expect(free.status).toBe("active");
    }),
    { numRuns: 2_000 },
  );
});

test("time only takes away: what is refused as expired stays refused", () => {
  fc.assert(
    fc.property(product, license, caller, fc.nat({ max: 50 }), (product, license, caller, laterMs) => {
      if (decide(product, license, caller, nowMs).status !== "expired") return;
      expect(decide(product, license, caller, nowMs + laterMs).status).toBe("expired");
    }),
    { numRuns: 2_000 },
  );
});

test("a product that is not served reveals nothing about the license", () => {
  fc.assert(
    fc.property(product, license, caller, (product, license, caller) => {
      const verdict = decide({ ...product, deleted: true }, license, caller, nowMs);
      expect(verdict).toEqual(decide({ ...product, deleted: true }, null, caller, nowMs));
    }),
  );
});
