import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { eventsAfter } from "@countersign/store/queries/events/events";
import type { Store } from "@countersign/store/store";

const checkEveryMs = 500;
const stopping = new WeakSet<Store>();

/** The newest event of each organization that clients wait for, as of the last check. */
interface Newest {
  readonly readAtMs: number;
  readonly id: Promise<string | null>;
}

const newestOf = new WeakMap<Store, Map<string, Newest>>();
/** Organizations nobody waits for any more are removed when there are this many. */
const mostRemembered = 1_000;

/** Waits before the next check. False if there is none: the client is gone, or the server is stopping. */
export async function waitForCheck(store: Store, caller: AbortSignal): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
  return !caller.aborted && !stopping.has(store);
}

/** Whether there is an event after `after`. Read once per check for all clients that wait for the organization. */
export async function hasNewer(
  store: Store,
  organizationId: string,
  after: string | null,
  beforeMs: number,
): Promise<boolean> {
  const known = newestOf.get(store) ?? new Map<string, Newest>();
  newestOf.set(store, known);
  const nowMs = performance.now();
  let newest = known.get(organizationId);
  if (newest === undefined || nowMs - newest.readAtMs >= checkEveryMs / 2) {
    newest = { readAtMs: nowMs, id: newestBefore(store, organizationId, beforeMs) };
    if (known.size >= mostRemembered) known.clear();
    known.set(organizationId, newest);
  }
  const id = await newest.id;
  return id !== null && (after === null || id > after);
}

async function newestBefore(store: Store, organizationId: string, beforeMs: number): Promise<string | null> {
  const filter = { organizationId, licenseId: null, fromMs: null, toMs: null };
  const before = firstUuidAt(beforeMs);
  const [newest] = await eventsAfter(store.listReads, filter, {
    after: null,
    descending: true,
    before,
    limit: 1,
  });
  return newest?.id ?? null;
}

/** Clients that wait for an event get an empty page. */
export function stopWaiting(store: Store): void {
  stopping.add(store);
}
