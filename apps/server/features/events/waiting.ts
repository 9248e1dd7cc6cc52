import type { Store } from "@countersign/store/store";

const checkEveryMs = 500;
const stopping = new WeakSet<Store>();

/** Waits before the next check. False if there is none: the client is gone, or the server is stopping. */
export async function waitForCheck(store: Store, caller: AbortSignal): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
  return !caller.aborted && !stopping.has(store);
}

/** Clients that wait for an event get an empty page. */
export function stopWaiting(store: Store): void {
  stopping.add(store);
}
