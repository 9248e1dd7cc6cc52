import { type Series, tones } from "../../ui/chart/series.ts";
import type { Analytics } from "./use-analytics.ts";

interface Names {
  readonly none: string;
  readonly rest: string;
}

/** The most used versions, and the others as one. */
export function versionSeries(versions: Analytics["versions"], names: Names): Series[] {
  const named = versions.filter(({ is_other: isOther, validations }) => !isOther && validations > 0);
  const shown = named.slice(0, tones.length);
  const rest = [...named.slice(tones.length), ...versions.filter(({ is_other: isOther }) => isOther)];
  const length = versions[0]?.buckets.length ?? 0;
  const sums = Array.from({ length }, (_, at) => rest.reduce((sum, one) => sum + (one.buckets[at] ?? 0), 0));
  return [
    ...shown.map(({ version, buckets }, place) => ({
      key: version ?? "",
      name: version ?? names.none,
      values: buckets,
      tone: tones[place] ?? ("rest" as const),
    })),
    ...(sums.some((sum) => sum > 0)
      ? [{ key: " rest", name: names.rest, values: sums, tone: "rest" as const }]
      : []),
  ];
}
