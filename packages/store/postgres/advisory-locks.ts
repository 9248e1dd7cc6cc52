/** The numbers of PostgreSQL's advisory locks. Any numbers work, as long as every node uses the same and no two are alike. */
export const advisoryLocks = {
  migration: 7_265_340_118,
  /** Shared by nodes that add rows to the request log, and held alone by one that closes or changes a segment. */
  requestLogTurn: 7_265_340_119,
  requestLogDays: 7_265_340_120,
  sortedKeys: 7_265_340_121,
  foldedCounts: 7_265_340_122,
  rewrittenDays: 7_265_340_123,
  copy: 7_265_340_124,
} as const;
