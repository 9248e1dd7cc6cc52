import { hourMs, minuteMs } from "@countersign/domain/dates/lengths";
import { StorageUnavailable } from "@countersign/store/errors/problem";
import type { LockWait, PostponedMigration } from "@countersign/store/migrations/migration";
import { inBursts, type Log, reasonOf } from "../base/log.ts";

/** The log messages of the validating thread: those that can repeat at most once a minute, for each cause. */
export function reportsTo(log: Log) {
  const batches = new Map<string, ReturnType<typeof inBursts<string>>>();
  const batchesOf = (cause: string) => {
    const known =
      batches.get(cause) ??
      inBursts<string>(minuteMs, (calls, reason) =>
        log.error("Storage did not respond. Requests were answered 503.", { cause, calls, reason }),
      );
    batches.set(cause, known);
    return known;
  };
  const dropped = inBursts<null>(minuteMs, (count) =>
    log.warn("The request log cannot keep up. Entries were dropped.", { count }),
  );
  const unwritten = inBursts<string>(minuteMs, (times, reason) =>
    log.warn("The request log could not be written. It will be retried.", { times, reason }),
  );
  const cut = inBursts<readonly string[]>(hourMs, (_times, organizationIds) =>
    log.warn(
      "The request log reached its size limit. The organizations with the most requests lost their oldest ones before their time.",
      {
        organizations: organizationIds.length,
        organization_ids: organizationIds.slice(0, 10).join(" "),
        variable: "COUNTERSIGN_REQUEST_LOG_MB",
      },
    ),
  );
  const unforwarded = inBursts<string>(minuteMs, (requests, reason) =>
    log.error("Requests could not be forwarded to the management worker.", { requests, reason }),
  );
  return {
    batchFailed: (calls: number, cause: unknown) =>
      batchesOf(cause instanceof StorageUnavailable ? cause.reason : "other")(calls, reasonOf(cause)),
    entriesDropped: (count: number) => dropped(count, null),
    logCut: (organizationIds: readonly string[]) => cut(1, organizationIds),
    journalFailed: (reason: string) => unwritten(1, reason),
    geoipFailed: (reason: string) =>
      log.warn(
        "The GeoIP file cannot be read. What was read before stays in use; it is tried again every minute.",
        { reason },
      ),
    journalSetAside: (aside: string, reason: string) =>
      log.error("The request log was damaged. It was set aside and a new one was created.", {
        aside,
        reason,
      }),
    migrationWaits: ({ migration, heldBy, retryMs }: LockWait) =>
      log.warn("A migration waits for a lock that others hold. Nothing is changed until then.", {
        migration,
        held_by: heldBy.join("; "),
        retry_seconds: retryMs / 1_000,
      }),
    migrationPostponed: ({ migration, reason }: PostponedMigration) =>
      log.warn(
        "A migration that removes what older servers use was left for a later start, or for countersign migrate.",
        { migration, reason },
      ),
    backedUp: (folder: string) =>
      log.info("The database was backed up before its migration.", { backup: folder }),
    keyUseFailed: (cause: unknown) =>
      log.warn("The last use of API keys could not be written. It will be retried.", {
        reason: reasonOf(cause),
      }),
    notForwarded: (cause: unknown) => unforwarded(1, reasonOf(cause)),
    readinessChanged: (isReady: boolean, problem: unknown) => {
      if (isReady) log.info("Validations can be answered again. The server is ready.");
      else
        log.error("Validations cannot be answered. The server is not ready.", { reason: reasonOf(problem) });
    },
  };
}
