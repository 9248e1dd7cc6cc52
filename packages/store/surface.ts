import { AsyncLocalStorage } from "node:async_hooks";

const meetings = new AsyncLocalStorage<Error[]>();

/** Called for each error that says that storage cannot be used. */
export function noteStorageError(error: Error): void {
  meetings.getStore()?.push(error);
}

/**
 * Runs work of a library that replaces errors of the database by its own. When it failed, and storage was the reason,
 * that is what is thrown.
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
