import type { EventType } from "@countersign/domain/events/types";
import { newId } from "@countersign/store/new-id";
import { addEvents } from "@countersign/store/queries/events/events";
import type { ShownLicense } from "@countersign/store/queries/licenses/views";
import type { Database } from "@countersign/store/store";
import { type Distribution, distribution } from "@countersign/store/tables/events";

/** An event that the seller's systems may want to receive. */
export interface NewEvent {
  readonly type: EventType;
  readonly organizationId: string;
  readonly productId: string | null;
  readonly licenseId: string | null;
  /** The data as sent. Nothing secret: it goes to other people's machines. */
  readonly data: object;
}

/** An event of one license, with the license as it is now, or was last. */
export function licenseEvent(type: EventType, license: ShownLicense, particulars: object = {}): NewEvent {
  const { id, organization_id, product_id } = license;
  return {
    type,
    organizationId: organization_id,
    productId: product_id,
    licenseId: id,
    data: { organization_id, product_id, license_id: id, license, ...particulars },
  };
}

/** Records events in the transaction that makes them true. They are sent once it is committed. */
export async function recordEvents(
  db: Database,
  nowMs: number,
  ...events: readonly NewEvent[]
): Promise<void> {
  await write(db, nowMs, events, distribution.waiting);
}

/** The same for events that are listed but not sent to endpoints, because another event covers them. */
export async function recordUnsentEvents(
  db: Database,
  nowMs: number,
  ...events: readonly NewEvent[]
): Promise<void> {
  await write(db, nowMs, events, distribution.none);
}

async function write(
  db: Database,
  nowMs: number,
  events: readonly NewEvent[],
  undistributed: Distribution,
): Promise<void> {
  await addEvents(
    db,
    events.map(({ type, organizationId, productId, licenseId, data }) => ({
      id: newId(),
      organization_id: organizationId,
      product_id: productId,
      license_id: licenseId,
      type,
      at: nowMs,
      data: JSON.stringify(data),
      undistributed,
    })),
  );
}
