export const shownStates = ["pending", "expired", "all"] as const;
export type ShownState = (typeof shownStates)[number];
