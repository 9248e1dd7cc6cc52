import { expect, test } from "bun:test";
import { versionSeries } from "./version-series.ts";

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
