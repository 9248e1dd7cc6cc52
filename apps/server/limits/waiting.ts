const waits = new WeakMap<Request, (seconds: number) => () => void>();

/** For who passes requests on: `begin` is called when one begins to wait, and returns what ends that. */
export function observeWaits(request: Request, begin: (seconds: number) => () => void): void {
  waits.set(request, begin);
}

/** Lets this time pass, such as until a response gives nothing away by how soon it comes. */
export async function pause(request: Request, ms: number): Promise<void> {
  if (ms > 0) await whileWaiting(request, pauseSeconds, () => new Promise((done) => setTimeout(done, ms)));
}

/** Longer than any pause. */
const pauseSeconds = 15;

/**
 * Does work during which the request only waits, such as for an event or another server. Meanwhile it keeps no other
 * request from being served. How many can wait is for the caller to limit.
 */
export async function whileWaiting<T>(
  request: Request,
  maxSeconds: number,
  work: () => Promise<T>,
): Promise<T> {
  const resume = waits.get(request)?.(maxSeconds);
  try {
    return await work();
  } finally {
    resume?.();
  }
}
