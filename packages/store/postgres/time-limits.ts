/**
 * How long anything waits for PostgreSQL. Every connection has all of these limits: a session that is paused, hangs or
 * holds on to a lock delays others only for this long, and a statement that takes too long ends on the server too.
 */

/** How long one statement of a batch can take, and all of them together, before its callers get "not now". */
export const statementLimitMs = 1_300;
export const batchLimitMs = 1_500;
/** How long a batch waits for a row. It is nearly always a counter that another node is incrementing. */
const validateLockMs = 100;

interface Limits {
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
  readonly transactionMs: number;
}

export function validatePoolLimits(serverMajor: number): string[] {
  return limitSettings(
    // Transactions are sent as a whole: being idle in one means having been paused in the middle of a write.
    {
      statementMs: statementLimitMs,
      lockMs: validateLockMs,
      idleInTransactionMs: 1_000,
      transactionMs: 3_000,
    },
    serverMajor,
  );
}

export function limitSettings(limits: Limits, serverMajor: number): string[] {
  return [
    `statement_timeout=${limits.statementMs}`,
    `lock_timeout=${limits.lockMs}`,
    `idle_in_transaction_session_timeout=${limits.idleInTransactionMs}`,
    ...(serverMajor >= firstWithTransactionLimit ? [`transaction_timeout=${limits.transactionMs}`] : []),
  ];
}

const firstWithTransactionLimit = 17;

/** For the request log. Nodes count sightings in the same rows, so a paused node delays the others. */
export const journalLimits = limitSettings(
  { statementMs: 10_000, lockMs: 5_000, idleInTransactionMs: 5_000, transactionMs: 0 },
  0,
);
export const journalAnswerMs = 12_000;

/** What connections are for. Each purpose has its own, so that none waits for another's. */
export type Purpose = "management" | "webhooks" | "jobs" | "setup";

interface PoolLimits extends Limits {
  readonly connections: number;
  /** In addition, for reads along an index: see `listReads` of the store. */
  readonly listConnections: number;
  /**
   * For a server that does not respond at all; longer than the statement limit, so that the server ends the statement
   * first.
   */
  readonly answerMs: number;
}

/**
 * The lock limit is longer than the second after which PostgreSQL checks for a deadlock, which a retry resolves. Batches,
 * the readiness probe and the request log have separate connections; the operating guide adds all of them up.
 */
export const poolLimits: Readonly<Record<Purpose, PoolLimits>> = {
  // Users are waiting, and should learn soon that another session has locked what they want to change.
  management: pool(4, 2, { statementMs: 10_000, lockMs: 1_500, transactionMs: 30_000 }),
  webhooks: pool(3, 1, { statementMs: 10_000, lockMs: 3_000, transactionMs: 60_000 }),
  jobs: pool(3, 1, { statementMs: 30_000, lockMs: 3_000, transactionMs: 60_000 }),
  // Migrations can take long, but limit how long they wait for a lock: see `migrate.ts`. Closed before the server starts
  // to serve. A second connection asks who holds the lock.
  setup: {
    ...pool(2, 0, { statementMs: 0, lockMs: 0, transactionMs: 0 }),
    idleInTransactionMs: 0,
    answerMs: 0,
  },
};

function pool(
  connections: number,
  listConnections: number,
  limits: Omit<Limits, "idleInTransactionMs">,
): PoolLimits {
  const answerMs = limits.statementMs + 2_000;
  return { connections, listConnections, ...limits, idleInTransactionMs: 5_000, answerMs };
}
