import { dayMs, minuteMs } from "@countersign/domain/dates/lengths";
import { setState, stateOf } from "@countersign/store/queries/admin/platform-state";
import type { Store } from "@countersign/store/store";
import type { Log } from "../../base/log.ts";
import { neverAborted } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import type { IntegrityState } from "../health/worker-metrics.ts";

/** By the clock of the machine: few apps and sellers are awake. */
const quietHours = [2, 3, 4];
const checkTimeoutMs = 15 * minuteMs;
const stateName = "integrity_check";

interface Progress {
  readonly checkedAtMs: number;
  /** The table to continue after; null to begin with the first. */
  readonly after: string | null;
  /** What is wrong, by table. Empty again once the table is found intact. */
  readonly damage: Readonly<Record<string, string>>;
}

/**
 * Checks a part of the database every night, so that damage is noticed before its backups are. Each night continues
 * where the last one stopped. Metrics show the result from the start on.
 */
export function integrityCheck(store: Store, log: Log, report: (state: IntegrityState) => void): PeriodicJob {
  const show = ({ damage, checkedAtMs }: Progress) =>
    report({ damagedTables: Object.keys(damage).length, checkedAtMs });
  const run = async (stopping = neverAborted) => {
    const stored = await stateOf(store.reads, stateName);
    const before = stored === null ? null : (JSON.parse(stored) as Progress);
    if (before !== null) show(before);
    const nowMs = await store.clock();
    const wasToday = before !== null && nowMs - before.checkedAtMs < dayMs / 2;
    if (wasToday || !quietHours.includes(new Date(nowMs).getHours())) return;
    const part = await checkedPart(store, before?.after ?? null, stopping);
    if (part === null) return;
    const damage = { ...before?.damage };
    for (const [table, damageOfTable] of part.tables) {
      delete damage[table];
      if (damageOfTable !== null) damage[table] = damageOfTable;
    }
    const after = part.isLast ? null : (part.tables.at(-1)?.[0] ?? null);
    const progress: Progress = { checkedAtMs: nowMs, after, damage };
    await store.transaction((db) => setState(db, stateName, JSON.stringify(progress)));
    show(progress);
    for (const [table, found] of Object.entries(damage))
      log.error("The database is damaged. Check the disk, and restore the last backup.", { table, found });
  };
  return { name: "integrity check", everyMs: 10 * minuteMs, run };
}

/** Null if it was stopped, or if the database has its own means. */
async function checkedPart(store: Store, after: string | null, stopping: AbortSignal) {
  try {
    return await store.checkIntegrity(after, checkTimeoutMs, stopping);
  } catch (error) {
    if (stopping.aborted) return null;
    throw error;
  }
}
