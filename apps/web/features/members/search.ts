export const shownStates = ["pending", "expired", "all"] as const;
