import type { Answer } from "../../api/client.ts";
import { largest, type Series, tones } from "../../ui/chart/series.ts";

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
