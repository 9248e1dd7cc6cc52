import type { ManagementAccess } from "./management-load.ts";

const endpoints = 10;

/** Several endpoints that receive all events of the organization: each change is delivered to every one. */
export interface WebhookLoad {
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
