/** Every event type. `endpoint.test` is only sent on request. */
export const eventTypes = [
  "license.created",
  "license.updated",
  "license.revoked",
  "license.reinstated",
  "license.renewed",
  "license.expiring_soon",
  "license.expired",
  "license.deleted",
  "license.ip_registered",
  "license.ip_removed",
  "license.ips_reset",
  "license.ip_blocked",
  "license.ip_limit_reached",
  "license.transfer_requested",
  "license.transferred",
  "license.transfer_rejected",
  "license.transfer_cancelled",
  "license.bulk_revoked",
  "quota.warning",
  "quota.exhausted",
  "endpoint.test",
] as const;

export type EventType = (typeof eventTypes)[number];

/** The types an endpoint can subscribe to; a test goes only to the endpoint being tested. */
export const choosableTypes = eventTypes.filter((type) => type !== "endpoint.test");

export function isEventType(text: string): text is EventType {
  return (eventTypes as readonly string[]).includes(text);
}
