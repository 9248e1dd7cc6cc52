import { discordMessage, slackMessage } from "@countersign/domain/webhooks/formats";
import type { SentEvent } from "@countersign/store/queries/webhooks/claim-deliveries";
import type { WebhookEndpointRow } from "@countersign/store/tables/events";

export const mostBodyBytes = 20 * 1024;

/** The body of an event: the same bytes on every attempt. */
export function bodyOf(event: SentEvent, format: WebhookEndpointRow["format"]): string {
  const recorded = { type: event.type, atMs: event.at };
  switch (format) {
    case "standard":
      return standardBody(event);
    case "discord":
      return JSON.stringify(discordMessage({ ...recorded, data: JSON.parse(event.data) }));
    case "slack":
      return JSON.stringify(slackMessage({ ...recorded, data: JSON.parse(event.data) }));
  }
}

/**
 * If it is too large, it is sent without the free-form fields of the license, then without the license and the previous
 * values. Everything else an event can have is limited to less, so the last form always fits.
 */
function standardBody(event: SentEvent): string {
  const whole = withData(event, event.data);
  if (fits(whole)) return whole;
  const { license, ...rest }: Record<string, unknown> = JSON.parse(event.data);
  if (license !== undefined) {
    const short = withData(event, JSON.stringify({ ...rest, license: shortened(license), truncated: true }));
    if (fits(short)) return short;
  }
  const { previous: _, ...required } = rest;
  return withData(event, JSON.stringify({ ...required, truncated: true }));
}

function withData(event: SentEvent, data: string): string {
  const timestamp = new Date(event.at).toISOString();
  return `{"type":${JSON.stringify(event.type)},"timestamp":"${timestamp}","data":${data}}`;
}

function shortened(license: unknown): unknown {
  if (typeof license !== "object" || license === null) return license;
  return Object.fromEntries(Object.entries(license).filter(([name]) => !leftOut.has(name)));
}

const leftOut = new Set(["metadata", "notes", "custom_override"]);

function fits(body: string): boolean {
  return Buffer.byteLength(body) <= mostBodyBytes;
}
