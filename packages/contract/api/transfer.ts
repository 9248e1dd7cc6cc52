import { z } from "zod";
import { id, time } from "./shapes.ts";

/** A license transfer, in the management API and in events. Fields of a holder are named as in the license. */

const holder = z.object({
  global_customer_id: id.nullable().meta({
    description: "Null while the organization has no customer with this email address or Discord ID.",
  }),
  customer_email: z.string().nullable().meta({
    description: "Null, as the other members, once the organization has deleted the customer.",
  }),
  customer_name: z.string().nullable(),
  customer_discord_id: z.string().nullable(),
});

const request = {
  id,
  from: holder.meta({ description: "The customer who held the license when the transfer was requested." }),
  to: holder.meta({ description: "The recipient, as specified by the customer." }),
  message: z.string().max(1_000).nullable().meta({ description: "The customer's message." }),
  review_reason: z.enum(["product_setting", "cooldown", "target_blocked"]).nullable().meta({
    description:
      "Why it was not approved automatically: the product's setting, a creation or transfer within `transfer_cooldown_days`, or IP blocks for the recipient. Null if it was.",
  }),
  requested_at: time,
};

const decision = {
  decided_at: time,
  decided_by: z.enum(["organization", "customer", "system"]).meta({
    description:
      "`system`: approved automatically, or cancelled because the license was deleted or given to another customer.",
  }),
  reason: z.string().max(1_000).nullable().meta({
    description:
      "The organization's reason for rejecting it. `license_deleted` or `customer_changed` if the system cancelled it.",
  }),
};

export const transferShapes = {
  requested: z.object({
    ...request,
    state: z.literal("pending"),
    decided_at: z.null(),
    decided_by: z.null(),
    reason: z.null(),
  }),
  approved: z.object({ ...request, state: z.literal("approved"), ...decision }),
  rejected: z.object({ ...request, state: z.literal("rejected"), ...decision }),
  cancelled: z.object({ ...request, state: z.literal("cancelled"), ...decision }),
} as const;

/** A transfer in the management API. */
export const transfer = z
  .object({
    ...request,
    organization_id: id,
    product_id: id,
    product_name: z.string(),
    license_id: id,
    license_key_hint: z.string().meta({ description: "The start of the key when it was requested." }),
    license_exists: z.boolean().meta({ description: "Whether the license still exists." }),
    last_transferred_at: time
      .nullable()
      .meta({ description: "When the license was last transferred before. Null for never." }),
    target_blocked: z
      .boolean()
      .meta({ description: "Whether the organization currently has IP blocks for the recipient." }),
    state: z.enum(["pending", "approved", "rejected", "cancelled"]),
    decided_at: time.nullable(),
    decided_by: decision.decided_by.nullable(),
    decided_by_name: z
      .string()
      .nullable()
      .meta({ description: "The name of the member or access token that decided." }),
    reason: decision.reason,
    updated_at: time,
  })
  .meta({ id: "Transfer" });
