import { choosableTypes, type EventType } from "@countersign/domain/events/types";

export type ChoosableType = Exclude<EventType, "endpoint.test">;

/** Exhaustive: a new type must be assigned to a group. */
const groupOf: Readonly<Record<ChoosableType, EventGroup>> = {
  "license.created": "licenses",
  "license.updated": "licenses",
  "license.revoked": "licenses",
  "license.reinstated": "licenses",
  "license.bulk_revoked": "licenses",
  "license.deleted": "licenses",
  "license.renewed": "expiry",
  "license.expiring_soon": "expiry",
  "license.expired": "expiry",
  "license.ip_registered": "ips",
  "license.ip_removed": "ips",
  "license.ips_reset": "ips",
  "license.ip_blocked": "ips",
  "license.ip_limit_reached": "ips",
  "license.transfer_requested": "transfers",
  "license.transferred": "transfers",
  "license.transfer_rejected": "transfers",
  "license.transfer_cancelled": "transfers",
  "quota.warning": "quota",
  "quota.exhausted": "quota",
};

const groups = ["licenses", "expiry", "ips", "transfers", "quota"] as const;
type EventGroup = (typeof groups)[number];

export const typesByGroup = groups.map((group) => ({
  group,
  types: choosable().filter((type) => groupOf[type] === group),
}));

export function choosable(): ChoosableType[] {
  return choosableTypes as ChoosableType[];
}
