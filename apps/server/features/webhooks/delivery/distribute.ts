import { newId } from "@countersign/store/new-id";
import { licenseViews, showLicense } from "@countersign/store/queries/licenses/views";
import {
  completeEvents,
  dataOfEvents,
  type Listener,
  listenersOf,
  organizationsWaiting,
  takeEvents,
  type UndistributedEvent,
  undistributedEvents,
} from "@countersign/store/queries/webhooks/distribute";
import type { Store } from "@countersign/store/store";
import { type DeliveryRow, distribution, type WebhookEndpointRow } from "@countersign/store/tables/events";

const eventsAtOnce = 512;
const organizationsAtOnce = 32;
/** About how many rows are written in a transaction, because on SQLite others wait for it. */
const maxRows = 1_024;

/**
 * Takes undistributed events and creates a delivery for each matching endpoint, in one transaction: however many nodes
 * do this, and wherever one of them dies, each event is distributed once. Organizations are served in rotation, so that
 * one with many events does not delay the others.
 */
export class Distributor {
  readonly #store: Store;
  /** The organization that was served last. */
  #last = "";

  constructor(store: Store) {
    this.#store = store;
  }

  /** Distributes some events. Returns how many. */
  async round(): Promise<number> {
    const store = this.#store;
    const waiting = await this.#next();
    if (waiting.length === 0) return 0;
    const events = upTo(maxRows, waiting, await listenersOf(store.reads, organizationsOf(waiting)));
    const nowMs = await store.clock();
    const completed = await withLicenses(store, events, nowMs);
    const ids = events.map((event) => event.id);
    // A power failure loses this completely or not at all, and then it is done again.
    return store.transaction(async (db) => {
      const taken = await takeEvents(db, store.bulk, ids);
      const takenEvents = events.filter((event) => taken.has(event.id));
      if (takenEvents.length === 0) return 0;
      const complete = takenEvents.flatMap((event) => {
        const data = completed.get(event.id);
        return data === undefined ? [] : [{ ...event, data, undistributed: distribution.none }];
      });
      await completeEvents(db, store.bulk, complete);
      const listeners = await listenersOf(db, organizationsOf(takenEvents));
      await store.bulk.insert(db, "deliveries", deliveriesFor(takenEvents, listeners, nowMs));
      return takenEvents.length;
    }, "soon");
  }

  /** Events of the next organizations in the rotation, the same number of each. */
  async #next(): Promise<UndistributedEvent[]> {
    const { reads } = this.#store;
    let organizations = await organizationsWaiting(reads, this.#last, organizationsAtOnce);
    if (organizations.length < organizationsAtOnce && this.#last !== "") {
      const first = await organizationsWaiting(reads, "", organizationsAtOnce - organizations.length);
      organizations = [...new Set([...organizations, ...first])];
    }
    // If all of them fit into one round, one query finds them, without rotation.
    this.#last = organizations.length < organizationsAtOnce ? "" : (organizations.at(-1) ?? "");
    const ofEach = Math.ceil(eventsAtOnce / Math.max(1, organizations.length));
    return undistributedEvents(reads, organizations, ofEach);
  }
}

/** One for each event and matching endpoint. Those of an endpoint that was disabled for failing are held until it works. */
export function deliveriesFor(
  events: readonly UndistributedEvent[],
  listeners: readonly Listener[],
  nowMs: number,
): DeliveryRow[] {
  const matchers = listeners.map((listener) => ({ listener, matches: matcherOf(listener) }));
  return events.flatMap((event) =>
    matchers
      .filter(({ listener, matches }) => listener.organization_id === event.organization_id && matches(event))
      .map(({ listener }) => newDelivery(listener, event, nowMs)),
  );
}

/** Before its first attempt. */
export function newDelivery(
  endpoint: Pick<WebhookEndpointRow, "id" | "organization_id" | "status">,
  event: Pick<UndistributedEvent, "id" | "type">,
  nowMs: number,
): DeliveryRow {
  const isEnabled = endpoint.status === "enabled";
  return {
    id: newId(),
    organization_id: endpoint.organization_id,
    endpoint_id: endpoint.id,
    event_id: event.id,
    event_type: event.type,
    state: isEnabled ? "pending" : "held",
    attempts: 0,
    next_attempt_at: isEnabled ? nowMs : null,
    claimed_by: null,
    claimed_until: null,
    last_status: null,
    created_at: nowMs,
    finished_at: null,
  };
}

/** An event of no single product only goes to endpoints that listen to all products. */
function matcherOf(listener: Listener): (event: UndistributedEvent) => boolean {
  const types = listener.event_types === null ? null : new Set<string>(JSON.parse(listener.event_types));
  const products = listener.product_ids === null ? null : new Set<string>(JSON.parse(listener.product_ids));
  return ({ type, product_id }) =>
    (types === null || types.has(type)) &&
    (products === null || (product_id !== null && products.has(product_id)));
}

/** The first events, as many as make about this many rows; at least one. */
function upTo(
  maxRowCount: number,
  events: readonly UndistributedEvent[],
  listeners: readonly Listener[],
): UndistributedEvent[] {
  const perOrganization = Map.groupBy(listeners, (listener) => listener.organization_id);
  const chosen: UndistributedEvent[] = [];
  let rows = 0;
  for (const event of events) {
    rows += 1 + (perOrganization.get(event.organization_id)?.length ?? 0);
    if (chosen.length > 0 && rows > maxRowCount) break;
    chosen.push(event);
  }
  return chosen;
}

/** Events from the hot path are short; the license is added here, where nobody waits for a response. */
async function withLicenses(
  store: Store,
  events: readonly UndistributedEvent[],
  nowMs: number,
): Promise<ReadonlyMap<string, string>> {
  const short = events.filter((event) => event.undistributed === distribution.waitingWithoutLicense);
  if (short.length === 0) return new Map();
  const licenseIds = [...new Set(short.flatMap((event) => event.license_id ?? []))];
  const views = await licenseViews(store.reads, licenseIds);
  const shown = new Map(views.map((view) => [view.id, showLicense(view, nowMs)]));
  const ids = short.map((event) => event.id);
  const data = await dataOfEvents(store.reads, store.bulk, ids);
  return new Map(
    short.flatMap((event) => {
      // For a license that was deleted since, the event only contains its ID.
      const license = event.license_id === null ? undefined : shown.get(event.license_id);
      const recorded = data.get(event.id);
      if (license === undefined || recorded === undefined) return [];
      return [[event.id, JSON.stringify({ ...JSON.parse(recorded), license })] as const];
    }),
  );
}

function organizationsOf(events: readonly UndistributedEvent[]): string[] {
  return [...new Set(events.map((event) => event.organization_id))];
}
