import type { Judged, QuotaState } from "../calls.ts";

/** A call that cannot be decided now, because another session has locked a row that it needs. */
export class LockedOut {
  /** What was left of the quota when it was counted; null when it has not been counted. */
  readonly quota: QuotaState | null;
  /** Calls of one group are tried again together and apart from all others, which would wait with them; null: no wait. */
  readonly group: string | null;

  constructor(quota: QuotaState | null, group: string | null) {
    this.quota = quota;
    this.group = group;
  }
}

/** What became of a call of a batch. */
export type Outcome = Judged | LockedOut;

/** The call was counted, but another session holds the license, or a row that belongs to it. */
export function lockedOut(judged: Outcome, group: string | null): LockedOut {
  if (judged instanceof LockedOut) return judged;
  return new LockedOut(judged.tag === "unauthorized" ? null : judged.quota, group);
}
