/** Lets requests that wait for the event loop go first, between two steps of long-running work. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
