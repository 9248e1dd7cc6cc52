import { languages } from "@countersign/domain/mail/languages";
import { validateStatuses } from "@countersign/domain/validate/status";
import { z } from "zod";
import { id, time } from "../api/shapes.ts";

/** What customers see. Nothing here identifies a customer to another organization. */

const link = z.object({ title: z.string(), url: z.string() });

/** A seller as its customers see it. */
export const seller = z
  .object({
    organization_id: id,
    name: z.string().meta({ description: "The name that the seller chose for its customers." }),
    slug: z.string(),
    logo_url: z.string().nullable().meta({ description: "Relative to the server. Null without a logo." }),
    accent_color: z
      .string()
      .nullable()
      .meta({ description: "As #rrggbb, readable on white and as a background of white text." }),
    accent_color_dark: z.string().nullable().meta({ description: "The same for dark pages." }),
    accent_text_dark: z
      .string()
      .nullable()
      .meta({ description: "The color of text on `accent_color_dark`." }),
    support_email: z.string().nullable(),
    support_url: z.string().nullable(),
    links: z.array(link),
    locale: z.enum(languages),
    is_suspended: z
      .boolean()
      .meta({ description: "While a seller is suspended, its licenses can be viewed but not changed." }),
  })
  .meta({ id: "PortalSeller" });

const transferState = z.enum(["pending", "approved", "rejected", "cancelled"]);

/** A transfer as the customer sees it who requested it. */
export const portalTransfer = z
  .object({
    id,
    license_id: id,
    license_key_hint: z.string(),
    product_name: z.string(),
    seller_name: z.string(),
    state: transferState,
    to_email: z.string().nullable(),
    to_discord_id: z.string().nullable(),
    message: z.string().nullable(),
    requested_at: time,
    decided_at: time.nullable(),
    decided_by: z.enum(["organization", "customer", "system"]).nullable(),
    reason: z.string().nullable().meta({ description: "The seller's reason for rejecting it." }),
  })
  .meta({ id: "PortalTransfer" });

export const licenseSummary = z
  .object({
    id,
    seller,
    product: z.object({
      id,
      name: z.string(),
      status: z.enum(["active", "disabled", "archived"]),
    }),
    license_key_hint: z.string().meta({ description: "The start of the key." }),
    status: z.enum(["active", "revoked", "expired"]),
    is_lifetime: z.boolean(),
    expires_at: time.nullable(),
    seconds_left: z.int().nullable().meta({
      description:
        "Seconds until it expires, rounded up: a positive number exactly while it has not. Null if it has no expiry.",
    }),
    term_seconds: z
      .int()
      .nullable()
      .meta({ description: "The term, if it starts with the first use and has not started yet." }),
    ip_system_enabled: z.boolean(),
    max_ips: z.int().nullable(),
    current_unique_ip_count: z.int(),
    created_at: time,
    has_pending_transfer: z.boolean(),
  })
  .meta({ id: "PortalLicenseSummary" });

/** A customer's allowance for something within 30 days. */
const budget = z.object({
  limit: z.int(),
  used: z.int(),
  left: z.int(),
  next_at: time
    .nullable()
    .meta({ description: "When the allowance grows again. Null if nothing of it is used." }),
});

const deviceIds = z.array(z.string()).meta({
  description:
    "The device IDs of the latest requests from the IP address, as far as the request log has them: the newest first, at most 10.",
});

export const portalLicense = licenseSummary
  .extend({
    revoked_at: time.nullable(),
    renewal_url: z.string().nullable(),
    your_ip: z.string().nullable().meta({ description: "Your IP address, as the product counts it." }),
    ips: z
      .array(
        z.object({
          ip: z.string(),
          registered_at: time,
          first_seen_at: time.nullable(),
          last_seen_at: time.nullable(),
          is_you: z.boolean().meta({ description: "Whether this request came from it." }),
          device_ids: deviceIds,
        }),
      )
      .max(200)
      .meta({ description: "The registered IP addresses, most recently seen first; at most 200." }),
    versions: z
      .object({
        pinned: z.string().nullable(),
        min: z.string().nullable(),
        max: z.string().nullable().meta({ description: "Exclusive." }),
        newest: z
          .string()
          .nullable()
          .meta({ description: "The newest version, or line such as 2.1.x, that the license can use." }),
      })
      .nullable()
      .meta({ description: "Null if the product does not check versions." }),
    downloads: z
      .array(
        z.object({
          id,
          title: z.string(),
          url: z.string(),
          min_version: z.string().nullable(),
          checksum: z.string().nullable(),
        }),
      )
      .meta({ description: "Empty while the license is not active." }),
    refusals: z
      .array(
        z.object({
          status: z.enum(validateStatuses),
          count: z.int(),
          first_at: time,
          last_at: time,
          last_ip: z.string(),
          last_version: z.string().nullable(),
          device_ids: deviceIds,
        }),
      )
      .meta({ description: "Refused validations of the last 14 days, by reason." }),
    self_service: z.object({
      ip_removals: budget.meta({ description: "A limit of 0 means that the seller does not offer it." }),
      can_remove_ip: z.boolean(),
      can_reset_ips: z.boolean(),
      can_rotate_key: z.boolean(),
      transfers: z.enum(["off", "review", "automatic"]),
      can_request_transfer: z.boolean(),
    }),
    transfer: portalTransfer.nullable().meta({ description: "The pending transfer." }),
  })
  .meta({ id: "PortalLicense" });
