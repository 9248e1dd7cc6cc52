import { createHmac } from "node:crypto";
import { webhookKey } from "@countersign/domain/webhooks/signature";
import { addSecret, removeSecrets } from "@countersign/store/queries/webhooks/endpoints";
import { openReceiver, type Received } from "../../tests/support/receiver.ts";
import { newId, type TestOrganization } from "../../tests/support/test-organization.ts";
import { until } from "../../tests/support/until.ts";
import { makeEndpoint, makeEvents } from "../../tests/support/webhooks.ts";
import type { Delivery } from "./case.ts";
import type { NoLiveVariant } from "./live-variants.ts";

/** A scripted delivery before the case modified it: its content, and the secrets that signed it. */
interface Original {
  readonly timestamp: string;
  readonly body: string;
  /** In the order of the header: newest first. */
  readonly signers: readonly string[];
  /** The parts of the signature header that these secrets produced. */
  readonly signatures: readonly string[];
}

/**
 * The live variants of the deliveries: an endpoint with the case's secrets receives the case's event from a real server,
 * and the case's modifications are applied to that delivery. All cases modify the event of the first one.
 */
export async function liveDeliveries(
  deliveries: readonly Delivery[],
  seller: TestOrganization,
): Promise<Delivery[]> {
  const [first] = deliveries;
  if (first === undefined) return [];
  const possible = deliveries.filter((one) => whyNoLiveDelivery(one, deliveries) === null);
  const originals = new Map(possible.map((one) => [one, originalOf(one, deliveries)]));
  const received = await receive(first, new Set([...originals.values()].map(signersOf)), seller);
  return [...originals].map(([one, original]) => {
    const real = received.get(signersOf(original));
    if (real?.body !== first.body) throw new Error(`The real server sent another body: ${real?.body}`);
    return applyModifications(one, original, real);
  });
}

/** Why a real server cannot send a delivery; null if it has a live variant. */
export function whyNoLiveDelivery(one: Delivery, deliveries: readonly Delivery[]): NoLiveVariant | null {
  const isEvent = originalOf(one, deliveries).body === deliveries[0]?.body;
  return isEvent ? null : "a forged signature";
}

function originalOf(one: Delivery, deliveries: readonly Delivery[]): Original {
  const [first = one] = deliveries;
  const secrets = [...new Set(deliveries.flatMap((other) => secretsOf(other)))];
  const parts = (headerOf(one, "webhook-signature") ?? "").split(" ");
  // Tries the case's own content, and the content it had before the case modified it.
  for (const { id, timestamp, body } of possibleContents(one, first)) {
    const signed = parts.flatMap((part) => {
      const signer = secrets.find((secret) => part === signatureOf(secret, `${id}.${timestamp}.${body}`));
      return signer === undefined ? [] : [{ part, signer }];
    });
    if (signed.length > 0)
      return {
        timestamp,
        body,
        signers: signed.map(({ signer }) => signer),
        signatures: signed.map(({ part }) => part),
      };
  }
  // The case removed all signatures.
  const timestamp = headerOf(first, "webhook-timestamp") ?? "";
  return { timestamp, body: first.body, signers: secretsOf(first), signatures: [] };
}

function possibleContents(one: Delivery, first: Delivery) {
  const both = (name: string) => [headerOf(one, name) ?? "", headerOf(first, name) ?? ""];
  return both("webhook-id").flatMap((id) =>
    both("webhook-timestamp").flatMap((timestamp) =>
      [one.body, first.body].map((body) => ({ id, timestamp, body })),
    ),
  );
}

/** The value of a header whose name can be in any case. */
function headerOf({ headers }: Delivery, name: string): string | undefined {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Secrets can be separated by commas. */
function secretsOf({ secrets }: Delivery): string[] {
  return secrets.flatMap((text) => text.split(",").map((secret) => withPrefix(secret.trim())));
}

/** Adds the prefix if the secret was given without it. */
function withPrefix(secret: string): string {
  return secret.startsWith("whsec_") ? secret : `whsec_${secret}`;
}

function signatureOf(secret: string, text: string): string {
  const code = createHmac("sha256", webhookKey(secret) ?? "")
    .update(text)
    .digest("base64");
  return `v1,${code}`;
}

function signersOf({ signers }: Original): string {
  return signers.join(" ");
}

/** What a real server sends to an endpoint with each of these lists of secrets. */
async function receive(
  first: Delivery,
  signers: ReadonlySet<string>,
  { store, organizationId }: TestOrganization,
): Promise<Map<string, Received>> {
  const receiver = await openReceiver();
  const lists = [...signers];
  const nowMs = Date.now();
  for (const [index, list] of lists.entries()) {
    const { id } = await makeEndpoint(store, organizationId, `${receiver.url}/${index}`);
    await store.transaction(async (db) => {
      await removeSecrets(db, id);
      for (const [age, secret] of list.split(" ").entries())
        await addSecret(db, {
          id: newId(),
          endpoint_id: id,
          sealed_secret: store.sealer.seal(Buffer.from(secret)),
          created_at: nowMs - age,
          expires_at: age === 0 ? null : nowMs + 3_600_000,
        });
    });
  }
  const { type, timestamp, data } = JSON.parse(first.body);
  await makeEvents(store, organizationId, 1, {
    id: (first.headers["webhook-id"] ?? "").replace(/^evt_/, ""),
    type,
    at: Date.parse(timestamp),
    data: JSON.stringify(data),
  });
  await until("the deliveries arrived", () => receiver.received.length >= lists.length);
  await receiver.close();
  return new Map(receiver.received.map((one) => [lists[Number(one.path.slice(1))] ?? "", one]));
}

function applyModifications(one: Delivery, original: Original, real: Received): Delivery {
  const sentAt = Number(real.headers["webhook-timestamp"]);
  const laterSeconds = sentAt - Number(original.timestamp);
  const headers = Object.entries(one.headers).map(([name, value]) => {
    const lower = name.toLowerCase();
    if (lower === "webhook-timestamp" && /^[0-9]+$/.test(value))
      return [name, String(Number(value) + laterSeconds)];
    if (lower === "webhook-signature" && original.signatures.length > 0)
      return [name, realSignatures(value, original, String(real.headers["webhook-signature"]))];
    return [name, value];
  });
  const now = new Date(Date.parse(one.now) + laterSeconds * 1_000).toISOString();
  return { ...one, now, headers: Object.fromEntries(headers) };
}

/** Replaces the scripted signatures with those of the real server, and leaves all others unchanged. */
function realSignatures(scripted: string, { signatures }: Original, real: string): string {
  const parts = scripted.split(" ");
  const signed = real.split(" ");
  return parts.map((part) => signed[signatures.indexOf(part)] ?? part).join(" ");
}
