import { call } from "../../api/client.ts";
import { randomId } from "../../api/send.ts";
import { whileRunning } from "../../ui/unsaved.ts";
import type { BulkOrder } from "./bulk-actions.ts";

/** The progress of a bulk action. It can resume from here after a broken connection without repeating anything. */
export interface BulkProgress {
  readonly matched: number;
  readonly changed: number;
  readonly isOver: boolean;
  readonly cursor: string | null;
  readonly key: string;
}

export function bulkStart(): BulkProgress {
  return { matched: 0, changed: 0, isOver: false, cursor: null, key: randomId() };
}

/** The server works for a few seconds per request; each response contains the progress. A real run is guarded. */
export function runBulk(...run: Parameters<typeof askInTurn>): Promise<BulkProgress> {
  return run[1].dry_run === true ? askInTurn(...run) : whileRunning(() => askInTurn(...run));
}

async function askInTurn(
  organizationId: string,
  order: BulkOrder,
  from: BulkProgress,
  step: (progress: BulkProgress) => void = () => {},
  isStopped: () => boolean = () => false,
  signal?: AbortSignal,
): Promise<BulkProgress> {
  let progress = from;
  while (!progress.isOver && !isStopped()) {
    const answer = await call("bulkLicenses", {
      params: { organization_id: organizationId },
      body: { ...order, ...(progress.cursor === null ? {} : { cursor: progress.cursor }) },
      idempotencyKey: progress.key,
      ...(signal === undefined ? {} : { signal }),
    });
    progress = {
      matched: progress.matched + answer.matched,
      changed: progress.changed + answer.changed,
      isOver: answer.next_cursor === null,
      cursor: answer.next_cursor,
      key: randomId(),
    };
    step(progress);
  }
  return progress;
}
