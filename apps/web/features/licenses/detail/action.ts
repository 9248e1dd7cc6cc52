/** Actions that the page of a license can open from a link. In its own file because every page loads it. */
export const actions = ["edit", "renew", "revoke", "rotate", "transfer", "reset", "delete"] as const;
export type Action = (typeof actions)[number];
