/**
 * How long anything waits for PostgreSQL. Every connection has all of these limits: one session that is paused, hangs
 * or forgets a lock delays others only for so long, and a statement that takes too long ends on the server too.
 */

/** How long one statement of a batch may take, and all of them together, before its callers hear "not now". */
export const statementLimitMs = 1_300;
export const batchLimitMs = 1_500;
/** So long a batch waits for a row. Nearly always it is a counter that another node is just raising. */
const laneLockMs = 100;

export interface Limits {
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
  readonly transactionMs: number;
}

export function laneLimits(serverMajor: number): string[] {
  return limitSettings(
    // Transactions are sent whole: to be idle in one is to have been paused in the middle of a write.
    { statementMs: statementLimitMs, lockMs: laneLockMs, idleInTransactionMs: 1_000, transactionMs: 3_000 },
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

/** Of the request log. Nodes count sightings in the same rows, so that one which is paused holds them up. */
export const journalLimits = limitSettings(
  { statementMs: 10_000, lockMs: 5_000, idleInTransactionMs: 5_000, transactionMs: 0 },
  0,
);
export const journalAnswerMs = 12_000;

/** What connections are for. Each work has its own, so that none waits for another's. */
export type Purpose = "management" | "webhooks" | "jobs" | "setup";

export interface PoolLimits extends Limits {
  readonly connections: number;
  /** Besides, for what reads along an index: see `alongIndexes` of the store. */
  readonly listConnections: number;
  /** For a server that does not answer at all; longer than a statement may take, so that the server ends it first. */
  readonly answerMs: number;
}

/**
 * Locks are waited for longer than the second after which PostgreSQL looks for a deadlock, which is solved by trying
 * again. With three for batches and one for the request log, a node has at most 18 connections.
 */
export const poolLimits: Readonly<Record<Purpose, PoolLimits>> = {
  // People wait: they rather hear soon that somebody else has locked what they want to change.
  management: pool(4, 2, { statementMs: 10_000, lockMs: 1_500, transactionMs: 30_000 }),
  webhooks: pool(3, 1, { statementMs: 10_000, lockMs: 3_000, transactionMs: 60_000 }),
  jobs: pool(3, 1, { statementMs: 30_000, lockMs: 3_000, transactionMs: 60_000 }),
  // Migrations take as long as they take. Closed before the server begins to serve.
  setup: {
    ...pool(1, 0, { statementMs: 0, lockMs: 0, transactionMs: 0 }),
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
