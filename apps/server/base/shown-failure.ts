import { type Failure, failureText, type ShownFailure } from "@countersign/contract/problems/failures";

/** A stored failure, as responses contain it. */
export function shownFailure(stored: string | null): ShownFailure | null {
  if (stored === null) return null;
  const kept: Failure = JSON.parse(stored);
  return { ...kept, message: failureText(kept) };
}
