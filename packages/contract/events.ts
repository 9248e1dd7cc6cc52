import { type EventType, eventTypes } from "@countersign/domain/events/types";
import { z } from "zod";
import { license } from "./manage/license-fields.ts";
import { id, time } from "./manage/shapes.ts";
import { transferShapes } from "./transfer.ts";

/** The data of each event type: the `data` of the body that an endpoint receives. */

const truncated = z.literal(true).optional().meta({
  description: "Present when the body would have been larger than 20 KB, and something was left out.",
});

const test = z
  .literal(true)
  .optional()
  .meta({ description: "Present when the operator made it up to try things out." });

/** In a body that was too large, the long members are missing, or the whole license. */
const eventLicense = license.partial({ notes: true, metadata: true, custom_override: true });

const aboutLicense = {
  organization_id: id,
  product_id: id,
  license_id: id,
  license: eventLicense.meta({ id: "EventLicense" }).optional().meta({
    description: "As the management API shows it. Missing when it was deleted before it could be told of.",
  }),
  truncated,
  test,
};

const change = {
  changed: z.array(z.string()).meta({ description: "The names of the fields that changed." }),
  previous: z.record(z.string(), z.json()).meta({ description: "What they were before." }),
};

const summary = z
  .object({
    count: z.int().meta({ description: "How many there were: for refusals, how many requests." }),
    ip_count: z.int().meta({ description: "From how many IP addresses." }),
    ip_count_is_exact: z
      .boolean()
      .meta({ description: "False when there were more IP addresses than that." }),
    first_at: time,
    last_at: time,
  })
  .optional()
  .meta({
    description:
      "Present when the event stands for many of an hour, beyond those that had an event each. Recorded when the hour is over.",
  });

const address = {
  ip: z
    .string()
    .meta({ description: "As the license counts it: of IPv6, the network. In a summary, one of the last." }),
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
    count: z.int().meta({ description: "How many addresses it had." }),
  }),
  "license.ip_blocked": withIpOrMany,
  "license.ip_limit_reached": withIpOrMany,
  // Not recorded yet: transfers come with the customer portal. Their shape is already documented.
  "license.transfer_requested": ofTransfer(transferShapes.requested),
  "license.transferred": ofTransfer(transferShapes.completed),
  "license.transfer_rejected": ofTransfer(transferShapes.rejected),
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

export function eventData(type: EventType): z.ZodType {
  return shapes[type];
}

const summaries: Readonly<Record<EventType, string>> = {
  "license.created": "A license was made",
  "license.updated": "A license was changed, or its key was exchanged",
  "license.revoked": "A license was revoked",
  "license.reinstated": "A revoked license was reinstated",
  "license.renewed": "A license was renewed",
  "license.expiring_soon": "A license will run out soon",
  "license.expired": "A license ran out",
  "license.deleted": "A license was deleted",
  "license.ip_registered": "An address got a place on a license",
  "license.ip_removed": "An address was taken off a license",
  "license.ips_reset": "All addresses were taken off a license",
  "license.ip_blocked":
    "A blocked address was refused: once an hour for each address, the eleventh and later ones together",
  "license.ip_limit_reached":
    "An address found no place: once an hour for each address, the eleventh and later ones together",
  "license.transfer_requested": "A customer asked to transfer a license",
  "license.transferred": "A license was transferred",
  "license.transfer_rejected": "A transfer was refused",
  "license.bulk_revoked": "Licenses of a product were revoked together, told for each batch",
  "quota.warning": "A product has used four fifths of its day's requests",
  "quota.exhausted": "A product has used all of its day's requests",
  "endpoint.test": "Somebody tries an endpoint, or the server whether one works again",
};

export const eventSummaries = eventTypes.map((type) => ({ type, summary: summaries[type] }));
