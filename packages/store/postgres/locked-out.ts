import type { CallResult, QuotaState } from "../batches/calls.ts";

/** A call that cannot be decided now, because another session has locked a row it needs. */
export class LockedOut {
  /** What remained of the quota when it was counted; null if it has not been counted. */
  readonly quota: QuotaState | null;
  /** Calls in one group are retried together, separately from all others, which would wait with them; null: no wait. */
  readonly group: string | null;

  constructor(quota: QuotaState | null, group: string | null) {
    this.quota = quota;
    this.group = group;
  }
}

/** The outcome of a call in a batch. */
export type Outcome = CallResult | LockedOut;

/** The call was counted, but another session has locked the license or a row that belongs to it. */
export function lockedOut(result: Outcome, group: string | null): LockedOut {
  if (result instanceof LockedOut) return result;
  return new LockedOut(result.tag === "unauthorized" ? null : result.quota, group);
}
