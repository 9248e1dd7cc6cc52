import { expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { caller, license, product, rarely, version } from "./any-facts.ts";
import { decide } from "./decide.ts";
import { nowMs, sampleLicense } from "./sample-facts.ts";

test("a blocked address is never valid and never registered, whatever else holds", () =>
  forAll(2_000, [product, license, caller], (product, license, caller) => {
    const verdict = decide(product, license, { ...caller, blocked: true }, nowMs);
    expect(verdict.status).not.toBe("active");
    expect(verdict.effect).toBe("none");
  }));

test("only a valid answer registers, and says so", () =>
  forAll(2_000, [product, license, caller], (product, license, caller) => {
    const verdict = decide(product, license, caller, nowMs);
    expect(verdict.effect === "register_ip").toBe(verdict.ipRegistered === true);
    if (verdict.effect === "register_ip") expect(verdict.status).toBe("active");
  }));

test("no sequence of requests gives a license more addresses than it may have", () => {
  const optional = { blocked: rarely(), version: fc.option(version) };
  const request = fc.record({ ip: fc.nat(9), product, ...optional });
  forAll(1_000, [fc.integer({ min: 1, max: 4 }), fc.array(request, { maxLength: 40 })], (max, requests) => {
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
  });
});

test("a pin only narrows: what passes with it passes without it", () =>
  forAll(2_000, [product, license, caller], (product, license, caller) => {
    const pinned = decide(product, license, caller, nowMs);
    const free = decide(product, { ...license, pin: null }, caller, nowMs);
    if (pinned.versionValid === true) expect(free.versionValid).toBe(true);
    if (pinned.status === "active") expect(free.status).toBe("active");
  }));

test("time only takes away: what is refused as expired stays refused", () =>
  forAll(2_000, [product, license, caller, fc.nat({ max: 50 })], (product, license, caller, laterMs) => {
    if (decide(product, license, caller, nowMs).status !== "expired") return;
    expect(decide(product, license, caller, nowMs + laterMs).status).toBe("expired");
  }));

test("a product that is not served reveals nothing about the license", () =>
  forAll(100, [product, license, caller], (product, license, caller) => {
    const verdict = decide({ ...product, deleted: true }, license, caller, nowMs);
    expect(verdict).toEqual(decide({ ...product, deleted: true }, null, caller, nowMs));
  }));
