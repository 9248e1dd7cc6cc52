/** What was validated in a period. */
interface Period {
  readonly validations: number;
  readonly refused: number;
}

/** Fewer refusals are single customers, whom their own pages are about. */
const minRefused = 20;
/** Below this share, a rise is not worth an interruption. */
const minShare = 0.05;
/** From this share on, refusals need attention even if they are usual. */
const highShare = 0.25;
/** Fewer validations say nothing about what is usual. */
const minValidationsBefore = 50;
/** How many times the usual share a rise is. */
const risenTimes = 2;

export const refusalChanges = ["risen", "high"] as const;

/** Whether the refusals of a period need attention: because they are more than before, or are many anyway. */
export function refusalChange(now: Period, before: Period): (typeof refusalChanges)[number] | null {
  const share = refusedShare(now);
  if (share === null || now.refused < minRefused || share < minShare) return null;
  const usual = usualShare(before);
  if (usual !== null && share >= usual * risenTimes) return "risen";
  return share >= highShare ? "high" : null;
}

/** The share of refused validations that an organization is used to; null if there were too few to say. */
export function usualShare(before: Period): number | null {
  return before.validations < minValidationsBefore ? null : refusedShare(before);
}

/** Null without validations. */
export function refusedShare({ validations, refused }: Period): number | null {
  return validations === 0 ? null : refused / validations;
}
