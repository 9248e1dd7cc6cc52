import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { updateEndpoint } from "@countersign/store/queries/webhooks/endpoints";
import type { Store } from "@countersign/store/store";
import type { WebhookEndpointRow } from "@countersign/store/tables";
import { Dispatcher } from "../../apps/server/features/webhooks/dispatch.ts";
import { Distributor } from "../../apps/server/features/webhooks/distribute.ts";
import type { Refusal } from "../../apps/server/features/webhooks/record-results.ts";
import type { Outgoing, Sender } from "../../apps/server/features/webhooks/send.ts";
import type { QueryFixture } from "./query-tests.ts";
import { newId } from "./test-organization.ts";
import { until } from "./until.ts";
import { type DeliveryOwner, deliveriesTo, makeEndpoint } from "./webhooks.ts";

/** An endpoint whose receiver is a function of the test. */
export interface TestEndpoint extends DeliveryOwner {
  readonly url: string;
  readonly secret: string;
  /** The email address of the organization's owner. */
  readonly ownerEmail: string;
  /** What has arrived. */
  received(): Outgoing[];
  /** What the receiver responds with from now on; `hang` for nothing. */
  reply(status: number | "hang", body?: string): void;
  row(): Promise<WebhookEndpointRow>;
  states(): Promise<string[]>;
  set(changes: Partial<WebhookEndpointRow>): Promise<void>;
}

/** Receivers without a network. A URL that no endpoint of the test has responds with 500. */
export class TestReceivers {
  readonly #replies = new Map<string, { status: number | "hang"; body: string }>();
  readonly #received: Outgoing[] = [];

  readonly send: Sender = async (outgoing, broken) => {
    this.#received.push(outgoing);
    const { status, body } = this.#replies.get(outgoing.url) ?? { status: 500, body: "" };
    if (status !== "hang") return { status, body, failure: null };
    return new Promise((_, reject) => {
      broken.addEventListener("abort", () => reject(broken.reason), { once: true });
    });
  };

  /** An endpoint of a new organization, unless one is given. */
  async endpoint(
    { store, organization, user }: QueryFixture,
    settings: Partial<WebhookEndpointRow> = {},
  ): Promise<TestEndpoint> {
    const organizationId = settings.organization_id ?? (await organization()).organizationId;
    const owner = await user();
    await store.transaction((db) => updateOrganization(db, organizationId, { owner_id: owner.id }));
    const url = `https://${newId()}.example.invalid/`;
    this.#replies.set(url, { status: 200, body: "" });
    const { id, secret } = await makeEndpoint(store, organizationId, url, settings);
    return {
      store,
      organizationId,
      endpointId: id,
      url,
      secret,
      ownerEmail: owner.email,
      received: () => this.#received.filter((one) => one.url === url),
      reply: (status, body = "") => void this.#replies.set(url, { status, body }),
      row: () => storedEndpoint(store, id),
      states: async () => (await deliveriesTo(store, id)).map((delivery) => delivery.state),
      set: (changes) => store.transaction((db) => updateEndpoint(db, id, changes)),
    };
  }
}

async function storedEndpoint(store: Store, id: string): Promise<WebhookEndpointRow> {
  const { sealed_url: _, ...row } = await store.reads
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return { ...row, url: "" };
}

/** What a node does for webhooks, one round at a time. */
export interface WebhookNode {
  readonly refusals: Refusal[];
  round(): Promise<void>;
  /** Does rounds until the condition is true. */
  until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

export function openWebhookNode(store: Store, send: Sender): WebhookNode {
  const refusals: Refusal[] = [];
  const distributor = new Distributor(store);
  const dispatcher = new Dispatcher({
    store,
    send,
    url: "http://127.0.0.1",
    random: () => 0,
    wake: () => {},
    refused: (refusal) => void refusals.push(refusal),
  });
  const round = async () => {
    await distributor.round();
    await dispatcher.round();
  };
  return {
    refusals,
    round,
    until: (what, isSo) =>
      until(what, async () => {
        await round();
        return isSo();
      }),
    close: () => dispatcher.close(),
  };
}
