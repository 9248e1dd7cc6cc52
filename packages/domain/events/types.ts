/** Everything that a seller's systems can hear of. `endpoint.test` is only sent when somebody asks for it. */
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
  "license.bulk_revoked",
  "quota.warning",
  "quota.exhausted",
  "endpoint.test",
] as const;

export type EventType = (typeof eventTypes)[number];

/** Those that an endpoint can choose; a test goes to whoever asked for it. */
export const choosableTypes = eventTypes.filter((type) => type !== "endpoint.test");

export function isEventType(text: string): text is EventType {
  return (eventTypes as readonly string[]).includes(text);
}
