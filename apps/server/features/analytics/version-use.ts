import type { HourCounts } from "@countersign/store/queries/analytics/figures";
import { noVersion, otherVersions } from "@countersign/store/rollups/roll-up";

const mostListed = 20;

/** The most used versions, and all others as one. */
export function versionUse(buckets: readonly HourCounts[], total: HourCounts, before: HourCounts) {
  const listed = [...total.versions]
    .filter(([key]) => key !== otherVersions)
    .sort(([keyA, a], [keyB, b]) => b - a || (keyA < keyB ? -1 : 1))
    .slice(0, mostListed)
    .map(([key]) => key);
  const versions = listed.map((key) => ({
    version: key === noVersion ? null : key.slice(1),
    is_other: false,
    validations: total.versions.get(key) ?? 0,
    previous_validations: before.versions.get(key) ?? 0,
    buckets: buckets.map((bucket) => bucket.versions.get(key) ?? 0),
  }));
  const others = ({ versions: counts }: HourCounts) => {
    let sum = 0;
    for (const [key, count] of counts) if (!listed.includes(key)) sum += count;
    return sum;
  };
  const other = others(total);
  if (other === 0) return versions;
  return [
    ...versions,
    {
      version: null,
      is_other: true,
      validations: other,
      previous_validations: others(before),
      buckets: buckets.map(others),
    },
  ];
}
