/** What can be open on the page of a license, so that it can be sent as a link. */
export const actions = ["edit", "renew", "revoke", "rotate", "transfer", "reset", "delete"] as const;
export type Action = (typeof actions)[number];
