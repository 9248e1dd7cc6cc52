import { describe, expect, test } from "bun:test";
import { isFiltered, knownFilters, liveQueryOf, noFilters, type Pasted, pasted, queryOf } from "./filters.ts";
import { readSearch } from "./search.ts";

describe("the filters in the URL", () => {
  test("filters are read from links of every spelling, and nonsense is left out", () => {
    const search = readSearch({
      outcome: "expired",
      refused: "true",
      version: 1.5,
      from: "yesterday",
      to: "2026-11-17T12:00:00Z",
      endpoint: "delete",
      ip: "  ",
      min_duration_ms: "0,5",
      live: "maybe",
    });
    const { to } = search;
    const texts = { outcome: ["expired"], refused: "true", version: "1.5" };
    expect<object>(queryOf(search)).toEqual({ ...texts, min_duration_ms: 0.5, to });
    expect(to).toBe("2026-11-17T12:00:00Z");
    expect(search.live).toBeUndefined();
  });

  test("the filter for the duration is a number of milliseconds, or none", () => {
    const read = (value: unknown) => readSearch({ min_duration_ms: value }).min_duration_ms;
    expect([0, 2.5, "12", "3."].map(read)).toEqual([0, 2.5, 12, 3]);
    for (const nonsense of [-1, "5 s", "", " ", "1e9", Number.NaN, null, true, ["5"]])
      expect(read(nonsense)).toBeUndefined();
  });

  test("filters have each outcome once, in order of precedence", () => {
    const search = readSearch({ outcome: ["expired", "no such", 7, "revoked", "expired"] });
    const { outcome } = knownFilters(search);
    expect(outcome).toEqual(["revoked", "expired"]);
    expect(queryOf(knownFilters(readSearch({ outcome: "no such" })))).toEqual({});
  });

  test("filters of the live stream have no time range", () => {
    const search = readSearch({ from: "2026-11-17T12:00:00Z", sandbox: false, ip: "203.0.113.7" });
    expect(liveQueryOf(search)).toEqual({ sandbox: "false", ip: "203.0.113.7" });
  });

  test("all filters can be removed", () => {
    const search = readSearch({ ip: "203.0.113.7", from: "2026-11-17T12:00:00Z", live: true });
    expect(isFiltered(search)).toBe(true);
    expect(isFiltered({ ...search, ...noFilters })).toBe(false);
  });
});

const id = "019a8f2e-4c1d-7abc-8def-0123456789ab";

test.each<[text: string, is: Pasted | null]>([
  ["", null],
  ["   ", null],
  [id, { kind: "id", id }],
  [` ${id.toUpperCase()}\n`, { kind: "id", id }],
  [`"${id}",`, { kind: "id", id }],
  [`X-Request-Id: ${id}`, { kind: "id", id }],
  [`request_id=${id}`, { kind: "id", id }],
  ["203.0.113.7", { kind: "ip", ip: "203.0.113.7" }],
  ["2001:DB8::1", { kind: "ip", ip: "2001:db8::1" }],
  ["2001:db8:1:2::/64", { kind: "ip", ip: "2001:db8:1:2::/64" }],
  ["POLARIS-7K2M-99XA", { kind: "key", key: "POLARIS-7K2M-99XA" }],
  ["203.0.113.0/24", { kind: "key", key: "203.0.113.0/24" }],
])("the kind of %j is recognized", (text, is) => expect(pasted(text)).toEqual(is));
