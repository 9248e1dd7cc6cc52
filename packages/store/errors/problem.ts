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
    noteStorageError(this);
  }
}

const meetings = new AsyncLocalStorage<Error[]>();

/** Called for each error that says that storage cannot be used. */
function noteStorageError(error: Error): void {
  meetings.getStore()?.push(error);
}

/**
 * Runs code of a library that replaces database errors with its own. If it fails because of storage, the storage error
 * is thrown instead.
 */
export async function surfaceStorageErrors<T>(
  work: () => Promise<T>,
  isFailure: (result: T) => boolean,
): Promise<T> {
  const met: Error[] = [];
  const failed = (): Error | undefined => met[0];
  let result: T;
  try {
    result = await meetings.run(met, work);
  } catch (error) {
    throw failed() ?? error;
  }
  const reason = failed();
  if (reason !== undefined && isFailure(result)) throw reason;
  return result;
}
