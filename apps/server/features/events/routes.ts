import * as contract from "@countersign/contract/manage/events";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { webhookId } from "@countersign/domain/webhooks/signature";
import { type EventFilter, eventsAfter } from "@countersign/store/queries/events/events";
import type { Store } from "@countersign/store/store";
import type { EventRow } from "@countersign/store/tables/events";

import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import type { z } from "zod";
import { type BoundRoute, bind, type Context, type OrganizationContext } from "../../api/context.ts";
import { decodeCursor, encodeCursor, milliseconds } from "../../api/page.ts";
import { Shares } from "../../api/shares.ts";
import { invalid } from "../../http/problem.ts";
import { whileWaiting } from "../../limits/waiting.ts";

export const eventRoutes: readonly BoundRoute[] = [
  bind(contract.listEvents, (context, { query }) => {
    const { product_id: productId = null, license_id: licenseId = null } = query;
    return listEvents(context, { organizationId: context.organization.id, productId, licenseId }, query);
  }),

  bind(contract.listLicenseEvents, (context, { query }) => {
    const { id, organization_id: organizationId } = context.license;
    return listEvents(context, { organizationId, productId: null, licenseId: id }, query);
  }),
];

type ShownEvent = z.input<typeof contract.event>;
type Query = z.output<typeof contract.listLicenseEvents.query>;

interface Among {
  readonly organizationId: string;
  readonly licenseId: string | null;
  readonly productId: string | null;
}

interface Page {
  readonly data: ShownEvent[];
  /** Where the next page starts; null if there is none yet. */
  readonly next: string | null;
  /** The last event that was read. */
  readonly after: string | null;
}

interface EventList {
  readonly data: ShownEvent[];
  readonly next_cursor: string | null;
  readonly after: string | null;
}

/** Each costs some memory and a comparison every half second. */
export const eventPolls = new Shares({ perCaller: 20, perOrganization: 60, inAll: 600 }, "too_many_polls");
/** The connection is not closed before the response is due. */
const idleMarginSeconds = 10;

/** There is no index by type or product: this many rows are read before other requests are served, and per page. */
const rowsAtOnce = 500;
const maxRowsRead = 5_000;
/**
 * Transactions can commit in a different order than their events got their IDs. Following events stops short of the
 * time in which more can still appear.
 */
const settledAfterMs = 2_000;

/** A page of events; with `wait_seconds`, once there is one. */
async function listEvents(context: OrganizationContext, among: Among, query: Query): Promise<EventList> {
  const follows = query.order === "oldest";
  if (!follows && query.after !== undefined) throw invalid("after", "only_with_oldest");
  if (!follows && query.wait_seconds > 0) throw invalid("wait_seconds", "only_with_oldest");
  if (query.after !== undefined && query.cursor !== undefined)
    throw invalid("after", "conflicts_with", { other: "cursor" });
  const cursor = decodeCursor(query.cursor, ["text"]);
  const start = cursor === null ? eventIdOf(query.after) : String(cursor[0]);
  const first = await readPage(context, among, query, start, context.nowMs);
  const page =
    query.wait_seconds > 0 && isEmpty(first) ? await nextPage(context, among, query, first) : first;
  const { data, next, after } = page;
  return {
    data,
    next_cursor: next === null ? null : encodeCursor([next]),
    after: follows && after !== null ? webhookId(after) : null,
  };
}

/** The page that has an event, or the last one when the time is over, the caller has left, or the server stops. */
async function nextPage(
  context: OrganizationContext,
  among: Among,
  query: Query,
  first: Page,
): Promise<Page> {
  const { store, request } = context;
  const startedMs = performance.now();
  const untilMs = startedMs + query.wait_seconds * 1000;
  const leave = eventPolls.enter(context);
  try {
    return await whileWaiting(request, query.wait_seconds + idleMarginSeconds, async () => {
      let page = first;
      while (isEmpty(page) && performance.now() < untilMs) {
        if (!(await waitForCheck(store, request.signal))) break;
        const nowMs = Math.floor(context.nowMs + performance.now() - startedMs);
        if (await hasNewer(store, among.organizationId, page.after, nowMs - settledAfterMs))
          page = await readPage(context, among, query, page.after, nowMs);
      }
      return page;
    });
  } finally {
    leave();
  }
}

function isEmpty({ data, next }: Page): boolean {
  return data.length === 0 && next === null;
}

async function readPage(
  context: Context,
  among: Among,
  query: Query,
  start: string | null,
  nowMs: number,
): Promise<Page> {
  const { limit, order, type } = query;
  const { productId } = among;
  const descending = order === "newest";
  const filter: EventFilter = {
    organizationId: among.organizationId,
    licenseId: among.licenseId,
    fromMs: query.from === undefined ? null : milliseconds(query.from),
    toMs: query.to === undefined ? null : milliseconds(query.to),
  };
  const before = descending ? null : firstUuidAt(nowMs - settledAfterMs);
  const step = type === undefined && productId === null ? limit + 1 : rowsAtOnce;
  const data: ShownEvent[] = [];
  let after = start;
  let shownTo = start;
  for (let read = 0; ; ) {
    const rows = await eventsAfter(context.store.listReads, filter, {
      after,
      descending,
      before,
      limit: step,
    });
    for (const row of rows) {
      if (isMeant(row, among, type)) {
        if (data.length === limit) return { data, next: shownTo, after: shownTo };
        data.push(showEvent(row));
      }
      after = row.id;
      shownTo = row.id;
    }
    read += rows.length;
    if (rows.length < step) return { data, next: null, after };
    if (read >= maxRowsRead) return { data, next: after, after };
    await yieldToEventLoop();
  }
}

/** Anyone can name a license: its events are only shown to its organization. */
function isMeant(row: EventRow, { organizationId, productId }: Among, type: string | undefined): boolean {
  return (
    row.organization_id === organizationId &&
    (type === undefined || row.type === type) &&
    (productId === null || row.product_id === productId)
  );
}

export function showEvent(row: EventRow): ShownEvent {
  return {
    id: webhookId(row.id),
    type: row.type,
    timestamp: isoTime(row.at),
    product_id: row.product_id,
    license_id: row.license_id,
    data: JSON.parse(row.data),
  };
}

function eventIdOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const hex = /^evt_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(text);
  if (hex === null) throw invalid("after", "not_an_event_id");
  return hex.slice(1).join("-");
}

const checkEveryMs = 500;
const stopping = new WeakSet<Store>();

/** The newest event of each organization that clients wait for, as of the last check. */
interface Newest {
  readonly readAtMs: number;
  readonly id: Promise<string | null>;
}

const newestOf = new WeakMap<Store, Map<string, Newest>>();
/** Organizations nobody waits for any more are removed when there are this many. */
const maxRemembered = 1_000;

/** Waits before the next check. False if there is none: the client is gone, or the server is stopping. */
async function waitForCheck(store: Store, caller: AbortSignal): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
  return !caller.aborted && !stopping.has(store);
}

/** Whether there is an event after `after`. Read once per check for all clients that wait for the organization. */
async function hasNewer(
  store: Store,
  organizationId: string,
  after: string | null,
  beforeMs: number,
): Promise<boolean> {
  const newestEvents = newestOf.get(store) ?? new Map<string, Newest>();
  newestOf.set(store, newestEvents);
  const nowMs = performance.now();
  let newest = newestEvents.get(organizationId);
  if (newest === undefined || nowMs - newest.readAtMs >= checkEveryMs / 2) {
    newest = { readAtMs: nowMs, id: newestBefore(store, organizationId, beforeMs) };
    if (newestEvents.size >= maxRemembered) newestEvents.clear();
    newestEvents.set(organizationId, newest);
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
