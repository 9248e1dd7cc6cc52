import type { HourCounts } from "@countersign/store/queries/analytics/figures";
import { noVersion, otherVersions } from "@countersign/store/rollups/roll-up";
import { mostCounted } from "./compared.ts";

const mostListed = 20;

/** The most used versions, those of the period before included, and all others as one. */
export function versionUse(buckets: readonly HourCounts[], total: HourCounts, before: HourCounts) {
  const listed = mostCounted(total.versions, before.versions)
    .filter((key) => key !== otherVersions)
    .slice(0, mostListed);
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
  const [other, otherBefore] = [others(total), others(before)];
  if (other === 0 && otherBefore === 0) return versions;
  return [
    ...versions,
    {
      version: null,
      is_other: true,
      validations: other,
      previous_validations: otherBefore,
      buckets: buckets.map(others),
    },
  ];
}
