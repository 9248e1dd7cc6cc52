import { counter, gauge, type MetricFamily, type Sample } from "./exposition.ts";

/** How much of what is limited in all is in use, so that one party cannot take the server from all others. */
interface BudgetUse {
  readonly inUse: number;
  readonly limit: number;
  /** What was refused since the start of the server, or ended early to make room. */
  readonly refused: number;
}

/** By name: a few words of the program, and none of its callers. */
export type BudgetUses = Readonly<Record<string, BudgetUse>>;

/** The budgets of both threads. */
export function budgetMetrics(uses: BudgetUses): readonly MetricFamily[] {
  const samples = (value: (use: BudgetUse) => number) =>
    Object.entries(uses).map(([budget, use]): Sample => ({ labels: { budget }, value: value(use) }));
  return [
    gauge(
      "countersign_budget_in_use",
      "How much of a limit of this server is in use, by budget.",
      samples(({ inUse }) => inUse),
    ),
    gauge(
      "countersign_budget_limit",
      "The limit of a budget.",
      samples(({ limit }) => limit),
    ),
    counter(
      "countersign_budget_refused_total",
      "What was refused because of the limits of a budget, in all or of one party, or ended early to make room.",
      samples(({ refused }) => refused),
    ),
  ];
}
