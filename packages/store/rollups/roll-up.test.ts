import { expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { RollUpTables } from "../../../tests/support/rollups.ts";
import type { Geo } from "./geo.ts";
import { allProducts, maxVersions, type RollUps, rollUp } from "./roll-up.ts";
import type { RolledRow } from "./sharing.ts";

const startMs = Date.UTC(2026, 10, 17, 22);

/** The same rows every time. */
function someRows(count: number): RolledRow[] {
  let seed = 7;
  const below = (limit: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * limit);
  };
  return Array.from({ length: count }, (_, at) => ({
    at: startMs + at * 2_000,
    ...([
      { organization_id: "o1", product_id: "p1" },
      { organization_id: "o2", product_id: "p2" },
      { organization_id: "o2", product_id: "p3" },
    ][below(3)] as Pick<RolledRow, "organization_id" | "product_id">),
    ...([
      { license_id: `l${below(400)}`, status: "active" },
      { license_id: `l${below(60)}`, status: "expired" },
      { license_id: null, status: "license_not_found" },
    ][below(3)] as Pick<RolledRow, "license_id" | "status">),
    endpoint: below(5) === 0 ? "lookup" : "validate",
    ip: `203.0.${below(3)}.${below(250)}`,
    version: below(4) === 0 ? null : `1.${below(9)}`,
    device_id: null,
    count: below(20) === 0 ? 7 : 1,
    sandbox: below(30) === 0 ? 1 : 0,
  }));
}

function stored(parts: readonly RollUps[]): RollUpTables {
  const tables = new RollUpTables();
  for (const part of parts) tables.add(part);
  return tables;
}

const geo: Geo = {
  hasPlaces: false,
  placeOf: (ip) =>
    ip.startsWith("203.0.1.")
      ? null
      : { country: ip.startsWith("203.0.2.") ? "DE" : "FR", coordinates: null },
};

test("the roll-ups of parts add up to those of the whole, however it is divided", () => {
  const rows = someRows(6_000);
  const whole = stored([rollUp(rows, geo)]);
  const parts = (size: number) => {
    const starts = Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => at * size);
    return starts.map((from) => rollUp(rows.slice(from, from + size), geo));
  };
  expect(stored(parts(1_000))).toEqual(whole);
  expect(stored(parts(37).reverse())).toEqual(whole);
});

test("every request is counted once for its product and once for all products, except sandbox requests", () => {
  const rows = someRows(2_000);
  const { hours } = rollUp(rows, geo);
  const total = (all: boolean, of: "counts" | "countries") =>
    hours
      .filter(({ productId }) => (productId === allProducts) === all)
      .reduce((sum, hour) => sum + [...hour[of].values()].reduce((part, count) => part + count, 0), 0);
  const expected = rows.reduce((sum, { count, sandbox }) => sum + (sandbox === 0 ? count : 0), 0);
  for (const of of ["counts", "countries"] as const)
    expect([total(true, of), total(false, of)]).toEqual([expected, expected]);
  expect(new Set(hours.map(({ hour }) => hour * hourMs))).toEqual(new Set([startMs, startMs + hourMs]));
});

test("versions of an hour are bounded, and the most used ones stay", () => {
  const row = someRows(1)[0] as RolledRow;
  const used = { ...row, endpoint: "validate" as const, count: 1, sandbox: 0 as const };
  const rows = (part: number) =>
    Array.from({ length: 100 }, (_, at) => ({ ...used, version: at < 20 ? "2.0" : `odd ${part} ${at}` }));
  const parts = Array.from({ length: 30 }, (_, part) => rollUp(rows(part), null));
  const [ofAll, ofProduct] = [...stored(parts).hours.values()].sort((a, b) =>
    a.product_id < b.product_id ? -1 : 1,
  );
  expect(ofAll?.versions).toBe("{}");
  const versions = JSON.parse(ofProduct?.versions ?? "") as Record<string, number>;
  expect(versions["v2.0"]).toBe(600);
  expect(Object.keys(versions)).toHaveLength(maxVersions + 1);
  expect(Object.values(versions).reduce((sum, count) => sum + count, 0)).toBe(3_000);
});
