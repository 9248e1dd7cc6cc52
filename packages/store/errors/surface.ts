import { AsyncLocalStorage } from "node:async_hooks";

const meetings = new AsyncLocalStorage<Error[]>();

/** Called for each error that says that storage cannot be used. */
export function noteStorageError(error: Error): void {
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
