import { AsyncLocalStorage } from "node:async_hooks";

/**
 * A problem that the operator can fix. The message is one or two complete sentences that say what is wrong and what to
 * do.
 */
export class StoreProblem extends Error {
  override readonly name = "StoreProblem";
}

/** Why storage is unavailable. Reporting, and its frequency, depend on this. */
export type StorageReason =
  | "unreachable"
  | "read_only"
  | "full"
  | "locked"
  | "slow"
  | "conflict"
  | "damaged"
  | "too_many_connections";

/** Storage did not respond. The request fails closed; nothing is wrong with the request itself. */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
  readonly reason: StorageReason;

  constructor(message: string, options: ErrorOptions & { readonly reason?: StorageReason } = {}) {
    super(message, options);
    this.reason = options.reason ?? "unreachable";
    occurrences.getStore()?.push(this);
  }
}

/**
 * How a database's errors are reported: `reasonFor` tells why storage is unavailable, or null if an error does not
 * concern storage but the query.
 */
export function storageErrors(
  reasonFor: (error: unknown) => StorageReason | null,
  sentences: Readonly<Record<StorageReason, string>>,
) {
  const reported = (cause: unknown, reason: StorageReason) =>
    new StorageUnavailable(sentences[reason], { cause, reason });
  return {
    /** The error, or a `StorageUnavailable` in its place if it concerns storage. */
    storageError(error: unknown): unknown {
      if (error instanceof StorageUnavailable) return error;
      const reason = reasonFor(error);
      return reason === null ? error : reported(error, reason);
    },
    /** For calls whose own input cannot be at fault. */
    unavailable(cause: unknown): StorageUnavailable {
      if (cause instanceof StorageUnavailable) return cause;
      return reported(cause, reasonFor(cause) ?? "unreachable");
    },
  };
}

/** The storage errors of the code that `surfaceStorageErrors` runs. */
const occurrences = new AsyncLocalStorage<Error[]>();

/**
 * Runs code of a library that replaces database errors with its own. If it fails because of storage, the storage error
 * is thrown instead.
 */
export async function surfaceStorageErrors<T>(
  work: () => Promise<T>,
  isFailure: (result: T) => boolean,
): Promise<T> {
  const errors: Error[] = [];
  let result: T;
  try {
    result = await occurrences.run(errors, work);
  } catch (error) {
    throw errors[0] ?? error;
  }
  const [first] = errors;
  if (first !== undefined && isFailure(result)) throw first;
  return result;
}

/** An error message, ready to be part of a longer one, with what to do if the disk is full. */
export function errorSentence(cause: unknown): string {
  // A refused connection to a name with several IP addresses is an AggregateError without its own message.
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const text = first instanceof Error && first.message !== "" ? first.message : String(first);
  const ended = text.endsWith(".") ? text : `${text}.`;
  return isDiskFull(cause) ? `The disk is full: ${ended} Free up space.` : ended;
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
