import { updateEndpoint } from "@countersign/store/queries/webhooks/endpoints";
import type { Store } from "@countersign/store/store";
import type { WebhookEndpointRow } from "@countersign/store/tables/events";

import { Dispatcher } from "../../apps/server/features/webhooks/delivery/dispatch.ts";
import { Distributor } from "../../apps/server/features/webhooks/delivery/distribute.ts";
import type { Outgoing, Sender } from "../../apps/server/features/webhooks/delivery/send.ts";
import type { QueryFixture } from "./query-tests.ts";
import { storedRow } from "./stored-rows.ts";
import { newId } from "./test-organization.ts";
import { until } from "./until.ts";
import { newEndpoint } from "./webhooks.ts";

/** An endpoint whose receiver is a function of the test. */
export type TestEndpoint = Awaited<ReturnType<TestReceivers["endpoint"]>>;

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
  async endpoint(fixture: QueryFixture, settings: Partial<WebhookEndpointRow> = {}) {
    const { store } = fixture;
    const url = `https://${newId()}.example.invalid/`;
    this.#replies.set(url, { status: 200, body: "" });
    const endpoint = await newEndpoint(fixture, { ...settings, url });
    const { organizationId, endpointId } = endpoint;
    const owner = await fixture.user();
    await fixture.change("organizations", organizationId, { owner_id: owner.id });
    return {
      ...endpoint,
      url,
      /** The email address of the organization's owner. */
      ownerEmail: owner.email,
      /** What has arrived. */
      received: () => this.#received.filter((one) => one.url === url),
      /** What the receiver responds with from now on; `hang` for nothing. */
      reply: (status: number | "hang", body = "") => void this.#replies.set(url, { status, body }),
      row: () => storedRow(store.reads, "webhook_endpoints", { id: endpointId }),
      set: (changes: Partial<WebhookEndpointRow>) =>
        store.transaction((db) => updateEndpoint(db, endpointId, changes)),
    };
  }
}

/** What a node does for webhooks, one round at a time. */
export function openWebhookNode(store: Store, send: Sender) {
  const distributor = new Distributor(store);
  const url = "http://127.0.0.1";
  const nothing = () => {};
  const dispatcher = new Dispatcher({ store, send, url, random: () => 0, wake: nothing, refused: nothing });
  return {
    /** Does rounds until the condition is true. */
    until: (what: string, isSo: () => boolean | Promise<boolean>) =>
      until(what, async () => {
        await distributor.round();
        await dispatcher.round();
        return isSo();
      }),
    close: () => dispatcher.close(),
  };
}
