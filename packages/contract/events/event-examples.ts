import type { EventType } from "@countersign/domain/events/types";

/** A sample of what an endpoint receives for each event type. */
export function eventExample(type: EventType): object {
  return { type, timestamp: at, data: examples[type] };
}

const at = "2031-01-02T03:04:05.678Z";
const organization_id = "019d3f6e-5b1c-7000-8a51-0c6b1f0a2d11";
const product_id = "019d3f6e-7a40-7000-9b0e-5d2f7c1e8a22";
const license_id = "019d3f70-11d2-7000-a3c4-7e9b2a4f6c33";

const license = {
  id: license_id,
  organization_id,
  product_id,
  global_customer_id: "019d3f70-10aa-7000-8d13-2b7c9e1f5a44",
  license_key: "7GQ4-9KXM-2WDP-RT6B",
  status: "active",
  expires_at: "2032-01-02T03:04:05.678Z",
  is_lifetime: false,
  ip_system_enabled: true,
  max_ips: 3,
  current_unique_ip_count: 1,
  notes: null,
  version_pin_mode: null,
  version_pinned: null,
  version_range_min: null,
  version_range_max: null,
  revoked_at: null,
  created_at: at,
  updated_at: at,
  customer_email: "ada@example.com",
  customer_name: "Ada Lovelace",
  customer_discord_id: null,
  product_name: "Waveform Studio",
  revoked_reason: null,
  custom_override: null,
  metadata: { order: "A-1042" },
  tags: ["vip"],
  first_used_at: null,
  term_seconds: null,
};

const about = { organization_id, product_id, license_id, license };
const address = { ...about, ip: "203.0.113.7" };
const reason = "The customer asked for a refund.";
const revoked = { ...license, status: "revoked", revoked_at: at, revoked_reason: reason };
const expired = { ...license, status: "expired", expires_at: at };

const transfer = {
  id: "019d3f9c-3e2a-7000-bd42-6a1c8f3e7b55",
  from: {
    global_customer_id: license.global_customer_id,
    customer_email: "ada@example.com",
    customer_name: "Ada Lovelace",
    customer_discord_id: null,
  },
  to: {
    global_customer_id: null,
    customer_email: "grace@example.com",
    customer_name: "Grace Hopper",
    customer_discord_id: null,
  },
  message: "I sold my studio to Grace.",
  review_reason: "product_setting",
  requested_at: "2031-01-01T12:00:00.000Z",
};

const quota = { organization_id, product_id, limit: 1_000, resets_at: "2031-01-03T00:00:00.000Z" };

const examples: Readonly<Record<EventType, object>> = {
  "license.created": about,
  "license.updated": { ...about, changed: ["max_ips"], previous: { max_ips: 1 } },
  "license.revoked": { ...about, license: revoked, reason },
  "license.reinstated": about,
  "license.renewed": { ...about, changed: ["expires_at"], previous: { expires_at: at } },
  "license.expiring_soon": about,
  "license.expired": { ...about, license: expired },
  "license.deleted": about,
  "license.ip_registered": address,
  "license.ip_removed": address,
  "license.ips_reset": { ...about, count: 3 },
  "license.ip_blocked": address,
  "license.ip_limit_reached": address,
  "license.transfer_requested": {
    ...about,
    transfer: { ...transfer, state: "pending", decided_at: null, decided_by: null, reason: null },
  },
  "license.transferred": {
    ...about,
    license: {
      ...license,
      global_customer_id: "019d3fa0-0b7d-7000-91f6-3c5e8d2a9f66",
      customer_email: "grace@example.com",
      customer_name: "Grace Hopper",
    },
    transfer: { ...transfer, state: "approved", decided_at: at, decided_by: "organization", reason: null },
  },
  "license.transfer_rejected": {
    ...about,
    transfer: {
      ...transfer,
      state: "rejected",
      decided_at: at,
      decided_by: "organization",
      reason: "This license was part of a bundle.",
    },
  },
  "license.transfer_cancelled": {
    ...about,
    transfer: { ...transfer, state: "cancelled", decided_at: at, decided_by: "customer", reason: null },
  },
  "license.bulk_revoked": { organization_id, product_id, license_ids: [license_id], count: 1, reason },
  "quota.warning": { ...quota, used: 800 },
  "quota.exhausted": { ...quota, used: 1_000 },
  "endpoint.test": {
    organization_id,
    endpoint_id: "019d3f71-9f08-7000-8b27-1d4a6c8e0f77",
    message: "This is a test event from Countersign.",
  },
};
