import { randomBytes } from "node:crypto";
import { generateAccessToken } from "@countersign/domain/members/access-token";
import { permissions } from "@countersign/domain/members/permissions";
import { addAccessToken } from "@countersign/store/queries/access-tokens";
import type { Store } from "@countersign/store/store";
import { newId } from "../tests/support/seller.ts";

export interface Desk {
  readonly organizationId: string;
  readonly productId: string;
  readonly token: string;
}

/** A token with which somebody works in the organization while its products are validated. */
export async function openDesk(store: Store, organizationId: string, productId: string): Promise<Desk> {
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

/** What a busy team does, one request after the other: lists, searches, reads, sells and changes. */
export function workAt(port: number, desk: Desk, perSecond: number): { stop(): Promise<number> } {
  const base = `http://127.0.0.1:${port}/api/manage/v1`;
  const headers = { authorization: `Bearer ${desk.token}`, "content-type": "application/json" };
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(base + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}.`);
    return (await response.json()) as { id?: string; data?: { id: string }[] };
  };
  let stopped = false;
  let done = 0;
  const run = async () => {
    while (!stopped) {
      const startedMs = performance.now();
      const list = `/organizations/${desk.organizationId}/licenses`;
      const sold = await call("POST", `/products/${desk.productId}/licenses`, {
        customer_email: `bench-${done}@example.com`,
        is_lifetime: true,
      });
      await call("GET", `${list}?limit=50`);
      await call("GET", `${list}?q=bench-${done}`);
      await call("PATCH", `/licenses/${sold.id}`, { notes: "Changed." });
      await call("GET", `/products/${desk.productId}`);
      done += 5;
      const restMs = 5_000 / perSecond - (performance.now() - startedMs);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopped = true;
      await running;
      return done;
    },
  };
}
