/** An error message, ready to be part of a longer one. */
export function errorSentence(cause: unknown): string {
  // A refused connection to a name with several IP addresses is an AggregateError without its own message.
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const text = first instanceof Error && first.message !== "" ? first.message : String(first);
  const ended = text.endsWith(".") ? text : `${text}.`;
  return isDiskFull(cause) ? `The disk is full: ${ended}` : ended;
}

/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: the index of the write-ahead log cannot grow. */
const sqliteCodes = new Set([13, 4874]);
/** Codes of the operating system and of PostgreSQL. */
const codes = new Set(["ENOSPC", "EDQUOT", "53100"]);

/** Whether an error, or its cause, says that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error && sqliteCodes.has(Number(error.errcode))) return true;
  if ("code" in error && codes.has(String(error.code))) return true;
  return isDiskFull(error.cause);
}
