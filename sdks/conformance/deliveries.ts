import { createHmac } from "node:crypto";
import { webhookKey } from "@countersign/domain/webhooks/secret";
import { addSecret, removeSecrets } from "@countersign/store/queries/webhook-endpoints";
import { openReceiver, type Received } from "../../tests/support/receiver.ts";
import { newId, type Seller } from "../../tests/support/seller.ts";
import { until } from "../../tests/support/until.ts";
import { makeEndpoint, makeEvents } from "../../tests/support/webhooks.ts";
import type { Delivery } from "./case.ts";
import type { NoTwin } from "./twins.ts";

/** How a scripted delivery came about: what was signed with which secrets, before anybody changed anything. */
interface Origin {
  readonly timestamp: string;
  readonly body: string;
  /** As the header has them: the newest first. */
  readonly signers: readonly string[];
  /** Those parts of the signature header that are theirs. */
  readonly signatures: readonly string[];
}

/**
 * The same deliveries as a real server sends them: an endpoint with the case's secrets gets the case's event, and what
 * the case does to a delivery is done to that one. The first case is the event that the others are about.
 */
export async function deliveryTwins(deliveries: readonly Delivery[], seller: Seller): Promise<Delivery[]> {
  const [first] = deliveries;
  if (first === undefined) return [];
  const wanted = deliveries.filter((one) => whyNoDelivery(one, deliveries) === null);
  const origins = new Map(wanted.map((one) => [one, originOf(one, deliveries)]));
  const received = await receive(first, new Set([...origins.values()].map(signersOf)), seller);
  return [...origins].map(([one, origin]) => {
    const real = received.get(signersOf(origin));
    if (real?.body !== first.body) throw new Error(`A real server sends another body: ${real?.body}`);
    return twinOf(one, origin, real);
  });
}

/** Why no real server sends a delivery; null for one that has a twin. */
export function whyNoDelivery(one: Delivery, deliveries: readonly Delivery[]): NoTwin | null {
  const isEvent = originOf(one, deliveries).body === deliveries[0]?.body;
  return isEvent ? null : "a signature that only a forger makes";
}

function originOf(one: Delivery, deliveries: readonly Delivery[]): Origin {
  const [first = one] = deliveries;
  const secrets = [...new Set(deliveries.flatMap((other) => other.secrets.map(whole)))];
  const parts = (one.headers["webhook-signature"] ?? "").split(" ");
  // What the case has, and what it may have had before it was changed.
  for (const { id, timestamp, body } of contents(one, first)) {
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
  // No signature was left in it.
  const timestamp = first.headers["webhook-timestamp"] ?? "";
  return { timestamp, body: first.body, signers: first.secrets.map(whole), signatures: [] };
}

function contents(one: Delivery, first: Delivery) {
  const both = (name: string) => [one.headers[name] ?? "", first.headers[name] ?? ""];
  return both("webhook-id").flatMap((id) =>
    both("webhook-timestamp").flatMap((timestamp) =>
      [one.body, first.body].map((body) => ({ id, timestamp, body })),
    ),
  );
}

/** A secret may be given without its prefix. */
function whole(secret: string): string {
  return secret.startsWith("whsec_") ? secret : `whsec_${secret}`;
}

function signatureOf(secret: string, text: string): string {
  const code = createHmac("sha256", webhookKey(secret) ?? "")
    .update(text)
    .digest("base64");
  return `v1,${code}`;
}

function signersOf({ signers }: Origin): string {
  return signers.join(" ");
}

/** What a real server sends to an endpoint for each of these lists of secrets. */
async function receive(
  first: Delivery,
  signers: ReadonlySet<string>,
  { store, organizationId }: Seller,
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

function twinOf(one: Delivery, origin: Origin, real: Received): Delivery {
  const sentAt = Number(real.headers["webhook-timestamp"]);
  const laterSeconds = sentAt - Number(origin.timestamp);
  const given = one.headers["webhook-timestamp"] ?? "";
  const headers = {
    ...one.headers,
    ...(/^[0-9]+$/.test(given) ? { "webhook-timestamp": String(Number(given) + laterSeconds) } : {}),
    ...(origin.signatures.length === 0
      ? {}
      : { "webhook-signature": realSignatures(one, origin, String(real.headers["webhook-signature"])) }),
  };
  return { ...one, now: new Date(Date.parse(one.now) + laterSeconds * 1_000).toISOString(), headers };
}

/** What the server signed, in the place of what the script did; what somebody else put beside it stays there. */
function realSignatures(one: Delivery, { signatures }: Origin, real: string): string {
  const parts = (one.headers["webhook-signature"] ?? "").split(" ");
  const theirs = real.split(" ");
  return parts.map((part) => theirs[signatures.indexOf(part)] ?? part).join(" ");
}
