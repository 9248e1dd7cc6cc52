import type { Desk } from "./manage.ts";

const endpoints = 10;

/** Receivers for everything that happens in the organization: one change is sent to each of them. */
export interface Receivers {
  /** Changes a license again and again, so that so many webhooks a second are sent. */
  changeAt(webhooksPerSecond: number): { stop(): Promise<void> };
  readonly received: number;
  stop(): void;
}

export async function openReceivers(port: number, desk: Desk): Promise<Receivers> {
  const base = `http://127.0.0.1:${port}/api/manage/v1`;
  const headers = { authorization: `Bearer ${desk.token}`, "content-type": "application/json" };
  const call = async (method: string, path: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(base + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}.`);
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
    await call("POST", `/organizations/${desk.organizationId}/webhooks`, {
      url: `http://127.0.0.1:${server.port}/${number}`,
    });
  const license = await call("POST", `/products/${desk.productId}/licenses`, {
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
