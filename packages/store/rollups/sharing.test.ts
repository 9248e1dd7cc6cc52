import { expect, test } from "bun:test";
import { dayMs, hourMs, minuteMs } from "@countersign/domain/dates/lengths";
import type { Geo } from "./geo.ts";
import { RecentUse } from "./recent-use.ts";
import { maxValues, type RolledRow, sharing } from "./sharing.ts";
import { mergedLicenseDay } from "./tables.ts";

const startMs = Date.UTC(2026, 10, 17, 1);
const day = startMs - hourMs;

function use(atMs: number, ip: string, deviceId: string | null = null, licenseId = "l"): RolledRow {
  return {
    ...{ at: atMs, organization_id: "o", product_id: "p", license_id: licenseId, endpoint: "validate" },
    ...{ status: "active", ip, version: null, device_id: deviceId, count: 1, sandbox: 0 },
  };
}

const berlin = { country: "DE", coordinates: { latitude: 52.52, longitude: 13.4 } };
const newYork = { country: "US", coordinates: { latitude: 40.71, longitude: -74 } };
const geo: Geo = {
  hasPlaces: true,
  placeOf: (ip) => (ip === "192.0.2.1" ? berlin : ip === "192.0.2.2" ? newYork : null),
};

test("two IP addresses and two devices a day are not recorded as sharing", () => {
  const recent = new RecentUse();
  const rows = Array.from({ length: 20 }, (_, at) => use(startMs + at, `198.51.100.${at % 2}`, `d${at % 2}`));
  expect(sharing(rows, null, recent)).toEqual([]);
  expect(sharing(rows, null, recent)).toEqual([]);
});

test("IP addresses and devices of a day add up over calls, and each is written once", () => {
  const recent = new RecentUse();
  const at = (hour: number) => startMs + hour * hourMs;
  expect(sharing([use(at(0), "198.51.100.1", "a")], null, recent)).toEqual([]);
  expect(sharing([use(at(1), "198.51.100.2", "a")], null, recent)).toEqual([]);
  expect(sharing([use(at(2), "198.51.100.3", "b")], null, recent)).toEqual([
    {
      ...{ organizationId: "o", productId: "p", licenseId: "l", day: day / dayMs, travel: null },
      ips: ["198.51.100.1", "198.51.100.2", "198.51.100.3"],
      devices: ["a", "b"],
    },
  ]);
  // On the next day it starts over.
  expect(sharing([use(at(24), "198.51.100.4", "c")], null, recent)).toEqual([]);
});

test("single addresses of one IPv6 network count as one", () => {
  const rows = [1, 2, 3, 4].map((at) => use(startMs + at, `2001:db8::${at}`));
  expect(sharing(rows, null, new RecentUse())).toEqual([]);
  const networks = [1, 2, 3].map((at) => use(startMs + at, `2001:db8:0:${at}::1`));
  expect(sharing(networks, null, new RecentUse())[0]?.ips).toHaveLength(3);
});

test("an impossible change of place is found within a call and between two", () => {
  const first = use(startMs, "192.0.2.1");
  const second = use(startMs + 30 * minuteMs, "192.0.2.2");
  const together = sharing([first, second], geo, new RecentUse());
  const recent = new RecentUse();
  expect(sharing([first], geo, recent)).toEqual([]);
  expect(sharing([second], geo, recent)).toEqual(together);
  expect(together[0]?.travel).toEqual({
    before: { ip: "192.0.2.1", at: first.at, country: "DE" },
    after: { ip: "192.0.2.2", at: second.at, country: "US" },
    distanceKm: 6_385,
    speedKmh: 12_769,
  });
  // A flight takes longer.
  expect(sharing([first, use(startMs + 9 * hourMs, "192.0.2.2")], geo, new RecentUse())).toEqual([]);
});

test("what one license and one product can cause is bounded", () => {
  const many = Array.from({ length: 400 }, (_, at) => use(startMs + at, `198.51.${at >> 8}.${at & 255}`));
  const [found] = sharing(many, null, new RecentUse());
  expect(found?.ips).toHaveLength(maxValues);
  const stored = mergedLicenseDay(undefined, found as never);
  const another = { ...(found as never as object), ips: ["192.0.2.77"] };
  expect(mergedLicenseDay(stored, another as never).ip_count).toBe(maxValues);
  const licenses = many.flatMap((row, at) =>
    [1, 2, 3].map((host) => ({ ...row, license_id: `l${at}`, ip: `192.0.2.${host}` })),
  );
  expect(sharing(licenses, null, new RecentUse())).toHaveLength(100);
});
