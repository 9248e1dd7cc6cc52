import type { Store } from "@countersign/store/store";

const lookEveryMs = 500;
const stopping = new WeakSet<Store>();

/** Waits before the next look. False when there is none: the caller is gone, or the server stops. */
export async function waitABit(store: Store, caller: AbortSignal): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  return !caller.aborted && !stopping.has(store);
}

/** Whoever waits for an event is answered with none. */
export function stopWaiting(store: Store): void {
  stopping.add(store);
}
