import { validateStatuses } from "@countersign/domain/validate/status";
import { z } from "zod";

/** The wire shapes of the two public endpoints. Types and the OpenAPI document are both derived from here. */

const time = z.iso.datetime();

/** Business outcomes: every possible status of a processed validation. */
const outcomes = validateStatuses.filter(
  (status) => status !== "invalid_api_key" && status !== "rate_limit_exceeded",
);

export const validateRequest = z
  .looseObject({
    license_key: z.string().meta({ description: "The key of a license of the API key's product." }),
    version: z
      .string()
      .optional()
      .meta({ description: "The version of the calling application, such as 2.1.0." }),
    device_id: z.string().max(256).optional().meta({
      description: "An identifier of the calling machine. It is recorded, but does not affect the result.",
    }),
  })
  .meta({ id: "ValidateRequest" });

export const validateResponse = z
  .strictObject({
    valid: z.boolean().meta({ description: "True only if the license is valid and every check passed." }),
    status: z.enum(outcomes).meta({ description: "The reason for the result." }),
    expires: time.nullable().meta({ description: "When the license expires. Null for lifetime licenses." }),
    ip_registered: z
      .boolean()
      .nullable()
      .meta({ description: "Whether this request registered the calling IP address." }),
    ip_count: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: "The number of IP addresses registered on the license." }),
    max_ips: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: "The number of IP addresses that the license allows." }),
    version: z.string().nullable().meta({
      description:
        "The version that the license is pinned to, or that was accepted; otherwise the newest exact version in the product's list that the license can use. Always a version, never a line such as 2.1.x; null if none is known.",
    }),
    version_valid: z
      .boolean()
      .nullable()
      .meta({ description: "Whether the version that was sent is allowed." }),
    custom: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: "The product's custom response." }),
    signature: z.string().nullable().meta({
      description: "t=<unix seconds>,n=<nonce>,k=<key id>,v1=<hex HMAC-SHA256>. Null if signing is off.",
    }),
  })
  .meta({ id: "ValidateResponse" });

export const licenseRecord = z
  .strictObject({
    id: z.string(),
    organization_id: z.string(),
    product_id: z.string(),
    global_customer_id: z.string().nullable(),
    license_key: z.string(),
    status: z.enum(["active", "revoked", "expired"]),
    expires_at: time.nullable(),
    is_lifetime: z.boolean(),
    ip_system_enabled: z.boolean(),
    max_ips: z.int().min(1).nullable(),
    current_unique_ip_count: z.int().min(0).meta({
      description:
        "The number of IP addresses registered on the license, which `max_ips` limits. An IPv6 /64 network counts once. IP addresses that were refused, or seen while `ip_system_enabled` or the product's tracking was off, do not count.",
    }),
    notes: z.string().nullable(),
    version_pin_mode: z.enum(["pinned", "range"]).nullable(),
    version_pinned: z.string().nullable(),
    version_range_min: z.string().nullable(),
    version_range_max: z.string().nullable(),
    revoked_at: time.nullable(),
    created_at: time,
    updated_at: time.meta({
      description:
        "When the license last changed, including its `current_unique_ip_count`. If-Match, `updated_at` in a PATCH and the order of lists consider edits only: an IP address that was registered in the meantime does not cause a conflict.",
    }),
    customer_email: z.string().nullable(),
    customer_name: z.string().nullable(),
    customer_discord_id: z.string().nullable(),
  })
  .meta({ id: "License" });

export const unauthorizedError = z
  .strictObject({ valid: z.literal(false), status: z.literal("invalid_api_key"), message: z.string() })
  .meta({ id: "UnauthorizedError" });

export const rateLimitError = z
  .strictObject({
    valid: z.literal(false),
    status: z.literal("rate_limit_exceeded"),
    message: z.string(),
    retry_after: z.int().min(1).max(86_400).meta({ description: "Seconds until midnight UTC." }),
  })
  .meta({ id: "RateLimitError" });

export const unavailableError = z
  .strictObject({ valid: z.literal(false), status: z.literal("unavailable"), message: z.string() })
  .meta({ id: "UnavailableError" });

export const httpError = z
  .strictObject({ message: z.string(), error: z.string(), statusCode: z.int() })
  .meta({ id: "HttpError" });

export type LicenseRecord = z.infer<typeof licenseRecord>;
