import { moment } from "@countersign/domain/mail/say";
import { organizationById } from "@countersign/store/queries/access";
import type { Database } from "@countersign/store/store";
import type { WebhookEndpointRow } from "@countersign/store/tables";
import { compose, type Reader } from "./compose.ts";
import { type Letter, writeLetter } from "./letter.ts";
import { readerById } from "./reader.ts";

type SwitchedOff = Pick<
  WebhookEndpointRow,
  "id" | "organization_id" | "url" | "description" | "failing_since"
>;

/** Tells the organization's owner that an endpoint was switched off by itself; once for each time that it was. */
export async function tellEndpointDisabled(
  db: Database,
  endpoint: SwitchedOff,
  reason: "failing" | "gone",
  serverUrl: string,
  nowMs: number,
): Promise<void> {
  const organization = await organizationById(db, endpoint.organization_id);
  const owner = organization === undefined ? undefined : await readerById(db, organization.owner_id);
  if (organization === undefined || owner === undefined) return;
  const facts = { organization: organization.name, reason, serverUrl, disabledAtMs: nowMs };
  await writeLetter(db, endpointDisabledLetter(owner, endpoint, facts), nowMs);
}

export function endpointDisabledLetter(
  to: Reader,
  endpoint: SwitchedOff,
  facts: { organization: string; reason: "failing" | "gone"; serverUrl: string; disabledAtMs: number },
): Letter {
  const { failing_since: sinceMs, description } = endpoint;
  return compose(to, "endpoint_disabled", {
    values: { organization: facts.organization },
    before: [`endpoint_disabled.${facts.reason}`],
    facts: [
      // Only where it is: the rest of such an address is often a secret.
      { label: "label.endpoint", value: new URL(endpoint.url).host },
      ...(description === "" ? [] : [{ label: "label.description" as const, value: description }]),
      ...(sinceMs === null || facts.reason === "gone"
        ? []
        : [{ label: "label.failing_since" as const, value: moment(to.language, sinceMs) }]),
    ],
    action: { label: "endpoint_disabled.action", url: facts.serverUrl },
    after: ["endpoint_disabled.kept"],
    once: `endpoint_disabled:${endpoint.id}:${facts.disabledAtMs}`,
  });
}
