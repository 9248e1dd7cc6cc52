import { type StorageReason, StorageUnavailable, storageErrors } from "../errors/problem.ts";

/** Null if the database is fine. Deadlocks are for callers that can retry: see `conflict`. */
function reasonFor(error: unknown): StorageReason | null {
  if (!(error instanceof Error)) return null;
  const code = codeOf(error);
  const known = byCode.get(code) ?? byClass.get(code.slice(0, 2));
  if (known !== undefined) return known;
  if (code === "XX000" && growing.has(routineOf(error))) return "full";
  if (code !== "" && /^[0-9A-Z]{5}$/.test(code)) return null;
  return connectionMessages.test(error.message) ? "unreachable" : null;
}

/** Transactions that kept conflicting. */
export function conflict(cause: unknown): StorageUnavailable {
  return new StorageUnavailable(sentences.conflict, { cause, reason: "conflict" });
}

/** Two transactions wait for each other or conflict: PostgreSQL rolls one back, which can be retried. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code === "40P01" || code === "40001";
}

/** Whether a statement waited too long for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** Another session has locked what the statement needs: it can be retried. None of it was done. */
export function isLocked(error: unknown): boolean {
  return isLockTimeout(error) || isConflict(error);
}

/** Whether a statement exceeded its time limit. */
export function isStatementTimeout(error: unknown): boolean {
  const cause = error instanceof StorageUnavailable ? error.cause : error;
  return codeOf(cause) === "57014";
}

/** Whether a connection is of no more use although it is still open: its host is read-only, or shutting down. */
export function spendsConnection(error: unknown): boolean {
  const code = codeOf(error);
  return code === "25006" || code.startsWith("57P") || code.startsWith("08");
}

/** Whether the server ends the session with this error. Any other error leaves the connection as it was. */
export function endsSession(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith("57P") || code.startsWith("08") || code === "25P03" || code === "25P04";
}

/** After a failover, a connection can still lead to a read-only server, while new ones find the writable one. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === "25006";
}

/** Another transaction wrote the same key, or wrote or deleted the row that a foreign key names. */
export function violatesKey(error: unknown): boolean {
  const code = codeOf(error);
  return code === "23505" || code === "23503";
}

/**
 * The routines in which PostgreSQL extends files. A disk quota or a file size limit has no separate code, and the
 * message is in the server's language.
 */
const growing: ReadonlySet<string> = new Set(["mdextend", "mdzeroextend", "BufFileDumpBuffer"]);

function routineOf(error: Error): string {
  return "routine" in error ? String(error.routine) : "";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

const byCode: ReadonlyMap<string, StorageReason> = new Map([
  ["25006", "read_only"],
  ["53100", "full"],
  ["53200", "slow"],
  ["53300", "too_many_connections"],
  ["53400", "slow"],
  ["55P03", "locked"],
  ["57014", "slow"],
  ["25P03", "slow"],
  ["25P04", "slow"],
  ["58030", "damaged"],
  ["XX001", "damaged"],
  ["XX002", "damaged"],
  ["ECONNREFUSED", "unreachable"],
  ["ECONNRESET", "unreachable"],
  ["ECONNABORTED", "unreachable"],
  ["ETIMEDOUT", "unreachable"],
  ["EHOSTUNREACH", "unreachable"],
  ["ENETUNREACH", "unreachable"],
  ["ENOTFOUND", "unreachable"],
  ["EAI_AGAIN", "unreachable"],
  ["EPIPE", "unreachable"],
  ["ENOENT", "unreachable"],
]);

const byClass: ReadonlyMap<string, StorageReason> = new Map([
  ["08", "unreachable"],
  ["53", "full"],
  ["57", "unreachable"],
  ["58", "damaged"],
]);

/** The driver's own errors have no code. */
const connectionMessages =
  /^Connection terminated|^timeout expired|^timeout exceeded when trying to connect|^Query read timeout|^Client has encountered a connection error|^Client was closed|^Cannot use a pool after|^No answer within|server does not support SSL|socket (?:hang up|has been ended)|stream was destroyed|^Failed to connect|^connect E/i;

const sentences: Readonly<Record<StorageReason, string>> = {
  unreachable: "PostgreSQL did not answer.",
  read_only: "PostgreSQL is read-only now.",
  full: "PostgreSQL has no space left.",
  locked: "PostgreSQL holds a lock on what was asked for.",
  slow: "PostgreSQL took too long.",
  conflict: "PostgreSQL undid the transaction again and again because others changed the same rows.",
  damaged: "PostgreSQL cannot read or write its files.",
  too_many_connections: "PostgreSQL has no connection left.",
};

export const { storageError, unavailable } = storageErrors(reasonFor, sentences);
