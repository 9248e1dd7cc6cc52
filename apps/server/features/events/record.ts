import { isoTime } from "@countersign/domain/dates/iso-time";
import type { EventType } from "@countersign/domain/events/types";
import { newId } from "@countersign/store/new-id";
import { addEvents } from "@countersign/store/queries/events/events";
import type { ShownLicense } from "@countersign/store/queries/licenses/views";
import type { KnownTarget } from "@countersign/store/queries/transfers/transfers";
import type { Database } from "@countersign/store/store";
import { type Distribution, distribution } from "@countersign/store/tables/events";
import type { TransferRow } from "@countersign/store/tables/portal";

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

const types = {
  pending: "license.transfer_requested",
  approved: "license.transferred",
  rejected: "license.transfer_rejected",
  cancelled: "license.transfer_cancelled",
} as const satisfies Record<TransferRow["state"], EventType>;

/** The event of a transfer that was just requested or decided. The license is null if it was deleted before. */
export function transferEvent(
  transfer: TransferRow,
  target: KnownTarget | null,
  license: ShownLicense | null,
): NewEvent {
  const { organization_id, product_id, license_id } = transfer;
  return {
    type: types[transfer.state],
    organizationId: organization_id,
    productId: product_id,
    licenseId: license_id,
    data: {
      organization_id,
      product_id,
      license_id,
      ...(license === null ? {} : { license }),
      transfer: showDecision(transfer, target),
    },
  };
}

/** A transfer as in events, which the management API extends. */
export function showDecision(transfer: TransferRow, target: KnownTarget | null) {
  return {
    id: transfer.id,
    from: {
      global_customer_id: transfer.from_customer_id,
      customer_email: transfer.from_email,
      customer_name: transfer.from_name,
      customer_discord_id: transfer.from_discord_id,
    },
    to: {
      global_customer_id: transfer.to_customer_id ?? target?.id ?? null,
      customer_email: transfer.to_email,
      customer_name: target?.name ?? null,
      customer_discord_id: transfer.to_discord_id,
    },
    message: transfer.message,
    review_reason: transfer.review_reason,
    requested_at: isoTime(transfer.requested_at),
    state: transfer.state,
    decided_at: isoTime(transfer.decided_at),
    decided_by: transfer.decided_by,
    reason: transfer.reason,
  };
}
