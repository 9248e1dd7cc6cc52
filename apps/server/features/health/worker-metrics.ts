import type { JobState } from "../../jobs/job-runs.ts";
import {
  counter,
  durationBounds,
  exposition,
  gauge,
  histogram,
  type MetricFamily,
  PlainHistogram,
  type Sample,
} from "./exposition.ts";
import type { WaitingCounts } from "./waiting-work.ts";

/** The APIs that the management worker serves. */
export type Api = "manage" | "portal" | "auth" | "stripe";
const apis: readonly Api[] = ["manage", "portal", "auth", "stripe"];

/** How an attempt to deliver a webhook ended: accepted, answered with another status, or not answered. */
export type AttemptResult = "delivered" | "refused" | "unanswered";
const attemptResults: readonly AttemptResult[] = ["delivered", "refused", "unanswered"];

type EmailResult = "sent" | "failed";
const emailResults: readonly EmailResult[] = ["sent", "failed"];

/** The last checks of the database files. */
export interface IntegrityState {
  readonly damagedTables: number;
  /** Milliseconds since 1970; null if nothing was checked yet. */
  readonly checkedAtMs: number | null;
}

/** The metrics of the management worker. */
export class WorkerMetrics {
  readonly #requests = new Map<Api, Map<string, number>>(
    apis.map((api) => [api, new Map(["2xx", "3xx", "4xx", "5xx"].map((status) => [status, 0]))]),
  );
  readonly #durations = new Map(apis.map((api) => [api, new PlainHistogram(durationBounds)]));
  readonly #attempts = new Map<AttemptResult, number>(attemptResults.map((result) => [result, 0]));
  readonly #attemptSeconds = new PlainHistogram(durationBounds);
  #attemptsInProgress = 0;
  readonly #slowQueries = new Map<string, number>([["other", 0]]);
  #integrity: IntegrityState = { damagedTables: 0, checkedAtMs: null };
  #archivedAuditEntries = 0;
  #deletedAuditEntries = 0;
  readonly #emails = new Map<EmailResult, number>(emailResults.map((result) => [result, 0]));

  /** `ms` is null for a request that waited on purpose. */
  requestDone(api: Api, status: number, ms: number | null): void {
    add(this.#requests.get(api), `${Math.floor(status / 100)}xx`);
    if (ms !== null) this.#durations.get(api)?.observe(ms / 1_000);
  }

  attemptBegins(): void {
    this.#attemptsInProgress += 1;
  }

  /** The result is null if the attempt was aborted because the server stops. */
  attemptDone(result: AttemptResult | null, ms: number): void {
    this.#attemptsInProgress -= 1;
    if (result === null) return;
    add(this.#attempts, result);
    this.#attemptSeconds.observe(ms / 1_000);
  }

  emailDone(result: EmailResult): void {
    add(this.#emails, result);
  }

  /** By verb and table, or `other`. */
  queryWasSlow(statement: string): void {
    add(this.#slowQueries, statement);
  }

  integrityChecked(state: IntegrityState): void {
    this.#integrity = state;
  }

  auditEntriesArchived(entries: number): void {
    this.#archivedAuditEntries += entries;
  }

  auditEntriesDeleted(entries: number): void {
    this.#deletedAuditEntries += entries;
  }

  text(jobs: readonly JobState[], waiting: WaitingCounts | null): string {
    return exposition([
      ...this.#requestFamilies(),
      counter(
        "countersign_slow_queries_total",
        "Database statements of the management worker that took longer than a quarter of a second.",
        labelled("statement", this.#slowQueries),
      ),
      ...this.#webhookFamilies(),
      counter(
        "countersign_email_attempts_total",
        "Attempts to send an email, by result.",
        labelled("result", this.#emails),
      ),
      ...(waiting === null ? [] : waitingFamilies(waiting)),
      counter(
        "countersign_audit_log_archived_total",
        "Entries of the audit log that were written to the archive.",
        this.#archivedAuditEntries,
      ),
      counter(
        "countersign_audit_log_deleted_total",
        "Entries of the audit log that were deleted because they were older than the plan keeps them.",
        this.#deletedAuditEntries,
      ),
      ...integrityFamilies(this.#integrity),
      ...jobFamilies(jobs),
    ]);
  }

  #requestFamilies(): MetricFamily[] {
    return [
      counter(
        "countersign_management_requests_total",
        "Requests to the management API, the portal API, sign-in and Stripe's webhook, by status class.",
        [...this.#requests].flatMap(([api, counts]) =>
          Array.from(counts, ([status, value]): Sample => ({ labels: { api, status }, value })),
        ),
      ),
      histogram(
        "countersign_management_request_duration_seconds",
        "Time until the response of these requests. Requests that wait for an event are left out.",
        [...this.#durations].flatMap(([api, durations]) => durations.samples({ api })),
      ),
    ];
  }

  #webhookFamilies(): MetricFamily[] {
    return [
      counter(
        "countersign_webhook_attempts_total",
        "Attempts to deliver a webhook, by result.",
        labelled("result", this.#attempts),
      ),
      histogram(
        "countersign_webhook_attempt_duration_seconds",
        "Duration of an attempt to deliver a webhook.",
        this.#attemptSeconds.samples(),
      ),
      gauge(
        "countersign_webhook_attempts_in_progress",
        "Attempts to deliver a webhook that this server is waiting for.",
        this.#attemptsInProgress,
      ),
    ];
  }
}

function waitingFamilies({ deliveries, emails, delayedEmails }: WaitingCounts): MetricFamily[] {
  return [
    gauge(
      "countersign_webhook_deliveries_waiting",
      "Webhook deliveries of all servers that are not complete, retries included. Counted up to 10,000.",
      deliveries,
    ),
    gauge(
      "countersign_emails_waiting",
      "Emails of all servers that are to be sent, retries included. Counted up to 10,000.",
      emails,
    ),
    gauge(
      "countersign_emails_delayed",
      "Emails that wait for another day because a daily limit was reached. Counted up to 10,000.",
      delayedEmails,
    ),
  ];
}

function integrityFamilies({ damagedTables, checkedAtMs }: IntegrityState): MetricFamily[] {
  return [
    gauge(
      "countersign_integrity_damaged_tables",
      "Tables of the database files that do not agree with their indexes, or cannot be read.",
      damagedTables,
    ),
    gauge(
      "countersign_integrity_checked_timestamp_seconds",
      "When a part of the database files was last checked, in seconds since 1970. 0 if none was.",
      (checkedAtMs ?? 0) / 1_000,
    ),
  ];
}

function jobFamilies(jobs: readonly JobState[]): MetricFamily[] {
  const samples = (value: (state: JobState) => number | null) =>
    jobs.flatMap((state): Sample[] => {
      const known = value(state);
      return known === null ? [] : [{ labels: { name: state.job }, value: known }];
    });
  const seconds = (ms: number | null) => (ms === null ? null : ms / 1_000);
  return [
    gauge(
      "countersign_job_last_success_timestamp_seconds",
      "When a periodic job last succeeded on this server, in seconds since 1970.",
      samples(({ succeededAtMs }) => seconds(succeededAtMs)),
    ),
    gauge(
      "countersign_job_last_duration_seconds",
      "Duration of the last run of a periodic job.",
      samples(({ durationMs }) => seconds(durationMs)),
    ),
    gauge(
      "countersign_job_interval_seconds",
      "How often a periodic job runs.",
      samples(({ everyMs }) => seconds(everyMs)),
    ),
    counter(
      "countersign_job_failures_total",
      "Runs of a periodic job that failed.",
      samples(({ failures }) => failures),
    ),
  ];
}

function add<K>(counts: Map<K, number> | undefined, key: K): void {
  counts?.set(key, (counts.get(key) ?? 0) + 1);
}

function labelled(label: string, counts: ReadonlyMap<string, number>): Sample[] {
  return Array.from(counts, ([key, value]) => ({ labels: { [label]: key }, value }));
}
