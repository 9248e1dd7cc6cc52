import type { Migration } from "./migration.ts";

/**
 * From here on, a session's token is stored as its hash. A session whose token is stored in clear is not found any
 * more, so they all end.
 */
export const sessionTokens: Migration = {
  name: "0011-session-tokens",
  statements: ["delete from sessions"],
};
