/** The filter by state. Without one, the list shows what waits for a decision. */
export const shownStates = ["pending", "approved", "rejected", "cancelled", "all"] as const;

export interface TransfersSearch {
  state?: (typeof shownStates)[number] | undefined;
}
