import { expect, test } from "bun:test";
import { type Bucket, outcomeRows, outcomeSeries, validShares, versionSeries } from "./series.ts";

const bucket = (outcomes: Record<string, number>) => {
  const validations = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  const refused = validations - (outcomes.active ?? 0);
  return { validation_outcomes: outcomes, validations, refused } as unknown as Bucket;
};

test("valid validations come first, and rare refusals are one series", () => {
  const limits = { revoked: 9, ip_blocked: 5, ip_limit_reached: 4, license_not_found: 8 };
  const buckets = [
    bucket({ expired: 3, active: 10 }),
    bucket({ ...limits, product_disabled: 1, org_suspended: 1 }),
  ];
  const series = outcomeSeries(buckets, (outcome) => outcome);
  expect(series.map(({ key, values }) => `${key} ${values}`)).toEqual([
    ...["active 10,0", "revoked 0,9", "license_not_found 0,8", "ip_blocked 0,5", "ip_limit_reached 0,4"],
    ...["expired 3,0", "rest 0,2"],
  ]);
  expect(new Set(series.map(({ tone }) => tone)).size).toBe(series.length);
});

test("a bucket without validations has no share", () =>
  expect(validShares([bucket({ active: 3, expired: 1 }), bucket({})])).toEqual([0.75, null]));

test("outcomes that only occurred before are compared, too, after the others", () => {
  expect(outcomeRows({ expired: 2, active: 9, revoked: 0 }, { ip_blocked: 4, active: 3 })).toEqual([
    { key: "active", value: 9, before: 3 },
    { key: "expired", value: 2, before: 0 },
    { key: "ip_blocked", value: 0, before: 4 },
  ]);
});

const names = { none: "none", rest: "others" };
const use = (version: string | null, buckets: number[], isOther = false) => ({
  version,
  is_other: isOther,
  validations: buckets.reduce((sum, count) => sum + count, 0),
  previous_validations: 0,
  buckets,
});

test("versions beyond the colours, and those that the server summed up, are one series", () => {
  const uses = ["1", "2", "3", "4", "5", "6", "7", "8"].map((version) => use(version, [1, 2]));
  const series = versionSeries([...uses, use(null, [0, 5], true)], names);
  expect(series.map(({ name }) => name)).toEqual(["1", "2", "3", "4", "5", "6", "7", "others"]);
  expect(series.at(-1)?.values).toEqual([1, 7]);
});

test("requests without a version have a name, and there are no others without requests", () => {
  const series = versionSeries([use(null, [3]), use("2.0", [1])], names);
  expect(series.map(({ name }) => name)).toEqual(["none", "2.0"]);
  expect(versionSeries([], names)).toEqual([]);
});
