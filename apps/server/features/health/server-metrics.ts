import type { HoldTimes } from "@countersign/store/threads/write-lock";
import type { RequestLogState } from "../requests/recorder.ts";
import { counter, gauge, type MetricFamily, type Sample } from "./exposition.ts";

/** What is the same as long as the server runs, and whether it can answer. */
export function serverMetrics(facts: {
  readonly version: string;
  readonly database: string;
  readonly isReady: boolean;
  readonly waitingCalls: number;
  readonly clockMs: number;
}): readonly MetricFamily[] {
  const { version, database } = facts;
  return [
    gauge("countersign_build_info", "Always 1. Its labels are the release and the kind of database.", [
      { labels: { version, database }, value: 1 },
    ]),
    gauge(
      "countersign_ready",
      "1 if validations can be answered, as in /readyz, otherwise 0.",
      Number(facts.isReady),
    ),
    gauge(
      "countersign_clock_timestamp_seconds",
      "The clock of this server, in seconds since 1970.",
      facts.clockMs / 1_000,
    ),
    gauge(
      "countersign_requests_in_progress",
      "Requests to the public API that are accepted and not yet answered.",
      facts.waitingCalls,
    ),
  ];
}

/** The management worker, whose own metrics are missing while it does not answer. */
export function workerStateMetrics(isUp: boolean, restarts: number): readonly MetricFamily[] {
  return [
    gauge(
      "countersign_management_worker_up",
      "1 if the management worker answered this scrape, otherwise 0: then its metrics are missing.",
      Number(isUp),
    ),
    counter(
      "countersign_management_worker_restarts_total",
      "Number of times the management worker exited and was started again.",
      restarts,
    ),
  ];
}

/** What became of the spans of traces. */
export function traceMetrics(exported: number, dropped: number): readonly MetricFamily[] {
  return [
    counter(
      "countersign_trace_spans_exported_total",
      "Spans that the OpenTelemetry endpoint accepted.",
      exported,
    ),
    counter(
      "countersign_trace_spans_dropped_total",
      "Spans dropped because the OpenTelemetry endpoint was slow or did not accept them.",
      dropped,
    ),
  ];
}

/** For SQLite, where everyone waits for the writer. */
export function writeLockMetrics({ overLimit, maxMs }: HoldTimes): readonly MetricFamily[] {
  return [
    counter(
      "countersign_write_lock_over_limit_total",
      "Number of times SQLite's write lock was held for longer than 100 ms.",
      overLimit,
    ),
    gauge(
      "countersign_write_lock_longest_seconds",
      "The longest time SQLite's write lock was held.",
      maxMs / 1_000,
    ),
  ];
}

/** For PostgreSQL, where a starting server may wait for sessions of others. */
export function migrationMetrics(waits: number): readonly MetricFamily[] {
  return [
    counter(
      "countersign_migration_lock_timeouts_total",
      "Attempts of this server's start to migrate that gave up waiting for a lock and were repeated.",
      waits,
    ),
  ];
}

export function requestLogMetrics(state: RequestLogState): readonly MetricFamily[] {
  return [
    counter("countersign_request_log_written_total", "Request log entries written.", state.written),
    gauge("countersign_request_log_waiting", "Request log entries that wait to be written.", state.waiting),
    gauge(
      "countersign_request_log_lag_seconds",
      "Age of the oldest request log entry that is not written yet. 0 if none waits.",
      state.lagMs / 1_000,
    ),
    counter(
      "countersign_request_log_dropped_total",
      "Request log entries dropped because the log could not be written.",
      state.dropped,
    ),
    counter(
      "countersign_request_log_failures_total",
      "Failed attempts to write the request log.",
      state.failures,
    ),
    counter(
      "countersign_request_log_cuts_total",
      "Number of times this server deleted the oldest entries of the request log before their time.",
      state.cuts,
    ),
    counter(
      "countersign_request_log_segments_closed_total",
      "Segments of the request log that this server has indexed and added to the analytics.",
      state.segmentsClosed,
    ),
  ];
}

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
