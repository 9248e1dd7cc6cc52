interface Run {
  readonly job: string;
  readonly node: string;
  readonly is_this_node: boolean;
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly failed_at: string | null;
}

/** How the last run went. */
export function stateOf(run: Run): "running" | "failed" | "done" {
  if (run.duration_ms === null) return "running";
  return run.failed_at !== null && Date.parse(run.failed_at) >= Date.parse(run.started_at)
    ? "failed"
    : "done";
}

/** Sorted by job, and within a job this node first. */
export function byJob<Row extends Run>(runs: readonly Row[]): Row[] {
  return [...runs].sort(
    (one, other) =>
      one.job.localeCompare(other.job) ||
      Number(other.is_this_node) - Number(one.is_this_node) ||
      one.node.localeCompare(other.node),
  );
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** A duration in its largest unit. */
export function shownDuration(ms: number, language: string): string {
  const [unit, length] = units.find(([, most]) => ms >= most) ?? (["millisecond", 1] as const);
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit,
    unitDisplay: ms < 1_000 ? "short" : "long",
    maximumFractionDigits: 1,
  }).format(ms / length);
}
