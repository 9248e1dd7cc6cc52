import { randomBytes } from "node:crypto";
import { generateAccessToken } from "@countersign/domain/members/access-token";
import { permissions } from "@countersign/domain/members/permissions";
import { addAccessToken } from "@countersign/store/queries/access-tokens/tokens";
import type { Store } from "@countersign/store/store";
import { newId } from "../tests/support/test-organization.ts";

export interface ManagementAccess {
  readonly organizationId: string;
  readonly productId: string;
  readonly token: string;
}

/** Creates an access token for management requests in the organization. */
export async function createManagementAccess(
  store: Store,
  organizationId: string,
  productId: string,
): Promise<ManagementAccess> {
  const token = generateAccessToken(randomBytes);
  await store.transaction((db) =>
    addAccessToken(
      db,
      {
        id: newId(),
        ...token,
        name: "Bench",
        userId: null,
        organizationId,
        permissions,
        createdBy: null,
        expiresAtMs: null,
      },
      Date.now(),
    ),
  );
  return { organizationId, productId, token: token.token };
}

/** Sends typical management requests in sequence: create, list, search, update, read. */
export function startManagementLoad(
  port: number,
  access: ManagementAccess,
  perSecond: number,
): { stop(): Promise<number> } {
  const base = `http://127.0.0.1:${port}/api/manage/v1`;
  const headers = { authorization: `Bearer ${access.token}`, "content-type": "application/json" };
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(base + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}.`);
    return (await response.json()) as { id?: string; data?: { id: string }[] };
  };
  let stopped = false;
  let requestCount = 0;
  const run = async () => {
    while (!stopped) {
      const startedMs = performance.now();
      const list = `/organizations/${access.organizationId}/licenses`;
      const created = await call("POST", `/products/${access.productId}/licenses`, {
        customer_email: `bench-${requestCount}@example.com`,
        is_lifetime: true,
      });
      await call("GET", `${list}?limit=50`);
      await call("GET", `${list}?q=bench-${requestCount}`);
      await call("PATCH", `/licenses/${created.id}`, { notes: "Changed." });
      await call("GET", `/products/${access.productId}`);
      requestCount += 5;
      const restMs = 5_000 / perSecond - (performance.now() - startedMs);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopped = true;
      await running;
      return requestCount;
    },
  };
}

const endpoints = 10;

/** Several endpoints that receive all events of the organization: each change is delivered to every one. */
interface WebhookLoad {
  /** Changes a license repeatedly, at the rate that sends this many webhooks per second. */
  changeAt(webhooksPerSecond: number): { stop(): Promise<void> };
  readonly received: number;
  stop(): void;
}

export async function startWebhookLoad(port: number, access: ManagementAccess): Promise<WebhookLoad> {
  const base = `http://127.0.0.1:${port}/api/manage/v1`;
  const headers = { authorization: `Bearer ${access.token}`, "content-type": "application/json" };
  const call = async (method: string, path: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(base + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}.`);
    return (await response.json()) as { id: string };
  };
  let received = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      await request.arrayBuffer();
      received += 1;
      return new Response(null, { status: 204 });
    },
  });
  for (let number = 0; number < endpoints; number += 1)
    await call("POST", `/organizations/${access.organizationId}/webhooks`, {
      url: `http://127.0.0.1:${server.port}/${number}`,
    });
  const license = await call("POST", `/products/${access.productId}/licenses`, {
    customer_email: "webhooks@example.com",
    is_lifetime: true,
  });
  return {
    changeAt: (webhooksPerSecond) => {
      let stopped = false;
      const run = async () => {
        for (let round = 0; !stopped; round += 1) {
          const startedMs = performance.now();
          await call("PATCH", `/licenses/${license.id}`, { notes: `Change ${round}` });
          const restMs = (1_000 * endpoints) / webhooksPerSecond - (performance.now() - startedMs);
          if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
        }
      };
      const running = run();
      return {
        stop: () => {
          stopped = true;
          return running;
        },
      };
    },
    get received() {
      return received;
    },
    stop: () => void server.stop(true),
  };
}
