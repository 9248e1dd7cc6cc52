const waits = new WeakMap<Request, (seconds: number) => () => void>();

/** For who passes requests on: `begin` is called when one begins to wait, and returns what ends that. */
export function observeWaits(request: Request, begin: (seconds: number) => () => void): void {
  waits.set(request, begin);
}

/**
 * Does work during which the request only waits, such as for an event or another server. Meanwhile it keeps no other
 * request from being served. How many can wait is for the caller to limit.
 */
export async function whileWaiting<T>(
  request: Request,
  longestSeconds: number,
  work: () => Promise<T>,
): Promise<T> {
  const resume = waits.get(request)?.(longestSeconds);
  try {
    return await work();
  } finally {
    resume?.();
  }
}
