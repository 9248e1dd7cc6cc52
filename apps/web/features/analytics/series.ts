import type { Answer } from "../../api/client.ts";
import { largest, type Series, tones } from "../../ui/chart/series.ts";
import type { Analytics } from "./use-analytics.ts";

export type Bucket = Answer<"getAnalytics">["buckets"][number];

/** Validations by outcome: valid ones at the bottom, then the most frequent refusals, then the others as one. */
export function outcomeSeries(buckets: readonly Bucket[], nameOf: (outcome: string) => string): Series[] {
  const totals = new Map<string, number>();
  for (const { validation_outcomes: outcomes } of buckets)
    for (const [outcome, count] of Object.entries(outcomes))
      totals.set(outcome, (totals.get(outcome) ?? 0) + count);
  const refusals = [...totals].filter(([outcome]) => outcome !== "active");
  const { shown, rest } = largest(refusals, tones.length - 2, ([, count]) => count);
  const values = (outcomes: readonly string[]) =>
    buckets.map((bucket) =>
      outcomes.reduce((sum, outcome) => sum + (bucket.validation_outcomes[outcome] ?? 0), 0),
    );
  return [
    { key: "active", name: nameOf("active"), values: values(["active"]), tone: 0 },
    ...shown.map(([outcome], place) => ({
      key: outcome,
      name: nameOf(outcome),
      values: values([outcome]),
      tone: tones[place + 1] ?? ("rest" as const),
    })),
    ...(rest.length === 0
      ? []
      : [
          {
            key: "rest",
            name: nameOf("rest"),
            values: values(rest.map(([outcome]) => outcome)),
            tone: "rest" as const,
          },
        ]),
  ];
}

/** Every outcome of a period or of the one before: the most frequent first, then those that only occurred before. */
export function outcomeRows(
  now: Readonly<Record<string, number>>,
  previous: Readonly<Record<string, number>>,
): { readonly key: string; readonly value: number; readonly before: number }[] {
  return Object.keys({ ...now, ...previous })
    .map((key) => ({ key, value: now[key] ?? 0, before: previous[key] ?? 0 }))
    .filter(({ value, before }) => value > 0 || before > 0)
    .sort((a, b) => b.value - a.value || b.before - a.before);
}

/** The share of valid validations, as a fraction; null without validations. */
export function validShares(buckets: readonly Bucket[]): (number | null)[] {
  return buckets.map(({ validations, refused }) =>
    validations === 0 ? null : (validations - refused) / validations,
  );
}

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
