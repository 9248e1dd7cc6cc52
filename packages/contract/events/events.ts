import { type EventType, eventTypes } from "@countersign/domain/events/types";
import { z } from "zod";
import { license } from "../api/license-fields.ts";
import { id, time } from "../api/shapes.ts";
import { transferShapes } from "../api/transfer.ts";

/** The data of each event type: the `data` of the body that an endpoint receives. */

const truncated = z.literal(true).optional().meta({
  description:
    "Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license and the previous values.",
});

const test = z
  .literal(true)
  .optional()
  .meta({ description: "Present if the operator triggered the event as a test." });

/** A body that would be too large lacks the long fields, or the whole license. */
const eventLicense = license.partial({ notes: true, metadata: true, custom_override: true });

const aboutLicense = {
  organization_id: id,
  product_id: id,
  license_id: id,
  license: eventLicense.meta({ id: "EventLicense" }).optional().meta({
    description:
      "The license as in the management API. Missing if it was deleted before the event was sent, or if the body is truncated.",
  }),
  truncated,
  test,
};

const change = {
  changed: z.array(z.string()).meta({ description: "The names of the changed fields." }),
  previous: z
    .record(z.string(), z.json())
    .optional()
    .meta({ description: "Their previous values. Missing if the body is truncated." }),
};

const summary = z
  .object({
    count: z.int().meta({ description: "The number of refused requests, or of registered IP addresses." }),
    ip_count: z.int().meta({ description: "The number of different IP addresses." }),
    ip_count_is_exact: z
      .boolean()
      .meta({ description: "False if there were more IP addresses than `ip_count`." }),
    first_at: time,
    last_at: time,
  })
  .optional()
  .meta({
    description:
      "Present if the event summarizes an hour. IP addresses with their own event are not counted. Recorded after the hour ends.",
  });

const address = {
  ip: z.string().meta({
    description:
      "The IP address as the license counts it: usually the /64 network for IPv6. In a summary, one of the last.",
  }),
};

const quota = z.object({
  organization_id: id,
  product_id: id,
  limit: z.int(),
  used: z.int(),
  resets_at: time,
  test,
});

const ofLicense = z.object(aboutLicense);
const withAddress = z.object({ ...aboutLicense, ...address });
const withIpOrMany = z.object({ ...aboutLicense, ...address, summary });
const ofTransfer = (transfer: z.ZodType) => z.object({ ...aboutLicense, transfer });

const shapes: Readonly<Record<EventType, z.ZodType>> = {
  "license.created": ofLicense,
  "license.updated": z.object({ ...aboutLicense, ...change }),
  "license.revoked": z.object({ ...aboutLicense, reason: z.string().nullable() }),
  "license.reinstated": ofLicense,
  "license.renewed": z.object({ ...aboutLicense, ...change }),
  "license.expiring_soon": ofLicense,
  "license.expired": ofLicense,
  "license.deleted": ofLicense,
  "license.ip_registered": withIpOrMany,
  "license.ip_removed": withAddress,
  "license.ips_reset": z.object({
    ...aboutLicense,
    count: z.int().meta({ description: "The number of IP addresses that were removed." }),
  }),
  "license.ip_blocked": withIpOrMany,
  "license.ip_limit_reached": withIpOrMany,
  "license.transfer_requested": ofTransfer(transferShapes.requested),
  "license.transferred": ofTransfer(transferShapes.approved),
  "license.transfer_rejected": ofTransfer(transferShapes.rejected),
  "license.transfer_cancelled": ofTransfer(transferShapes.cancelled),
  "license.bulk_revoked": z.object({
    organization_id: id,
    product_id: id,
    license_ids: z.array(id),
    count: z.int(),
    reason: z.string().nullable(),
    truncated,
    test,
  }),
  "quota.warning": quota,
  "quota.exhausted": quota,
  "endpoint.test": z.object({ organization_id: id, endpoint_id: id, message: z.string() }),
};

/** The body that an endpoint receives. */
export function eventBody(type: EventType) {
  return z.object({ type: z.literal(type), timestamp: time, data: shapes[type] });
}

const summaries: Readonly<Record<EventType, string>> = {
  "license.created": "A license was created",
  "license.updated": "A license was changed, or its key was replaced",
  "license.revoked": "A license was revoked",
  "license.reinstated": "A revoked license was reinstated",
  "license.renewed": "A license was renewed",
  "license.expiring_soon": "A license expires soon",
  "license.expired": "A license expired",
  "license.deleted": "A license was deleted",
  "license.ip_registered": "An IP address was registered on a license",
  "license.ip_removed": "An IP address was removed from a license",
  "license.ips_reset": "All IP addresses were removed from a license",
  "license.ip_blocked":
    "A blocked IP address was refused: once an hour for each of the first ten, then one summary",
  "license.ip_limit_reached":
    "An IP address was refused because the license has reached its limit: once an hour for each of the first ten, then one summary",
  "license.transfer_requested": "A customer requested a license transfer",
  "license.transferred": "A license was transferred",
  "license.transfer_rejected": "A license transfer was rejected",
  "license.transfer_cancelled": "A license transfer was cancelled",
  "license.bulk_revoked": "Licenses of a product were revoked in bulk: one event for each batch",
  "quota.warning": "A product has used 80 % of its daily limit",
  "quota.exhausted": "A product has used its daily limit",
  "endpoint.test": "Someone tests an endpoint, or the server checks whether a failing one works again",
};

export const eventSummaries = eventTypes.map((type) => ({ type, summary: summaries[type] }));
