import { expect } from "bun:test";
import { randomBytes } from "node:crypto";
import { problem } from "@countersign/contract/manage/shapes";
import { codesOf } from "@countersign/contract/openapi-problems";
import { portalBase } from "@countersign/contract/portal/base";
import { addPortalSession } from "@countersign/store/queries/portal/sessions";
import type { Store } from "@countersign/store/store";
import { hashPortalToken } from "../../apps/server/features/portal/session.ts";
import { Router } from "../../apps/server/http/manage/router.ts";
import { portalRoutes } from "../../apps/server/http/manage/routes.ts";
import { newId } from "./test-organization.ts";

/** The setting of servers whose port is not known in advance: changes are accepted from this origin. */
export const portalEnvironment = { COUNTERSIGN_URL: "http://license.example.com" };

/** A customer who is signed in to the portal. Every response is checked against its route's contract. */
export interface PortalCustomer {
  readonly personId: string;
  get(path: string): Promise<PortalAnswer>;
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<PortalAnswer>;
}

export interface PortalAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape; the contract was checked.
  readonly body: any;
}

/** Writes the account, what it has proven to own, and a session directly to the tables. */
export async function signInCustomer(
  { store, url }: { readonly store: Store; readonly url: string },
  identities: { readonly email?: string; readonly discordId?: string },
): Promise<PortalCustomer> {
  const personId = newId();
  const token = randomBytes(32).toString("base64url");
  const nowMs = Date.now();
  await store.transaction(async (db) => {
    await db
      .insertInto("portal_people")
      .values({ id: personId, locale: null, created_at: nowMs, updated_at: nowMs })
      .execute();
    const proven = [
      ["email", identities.email?.toLowerCase()],
      ["discord", identities.discordId],
    ] as const;
    for (const [kind, value] of proven) {
      if (value === undefined) continue;
      await db
        .insertInto("portal_identities")
        .values({ kind, value, id: newId(), person_id: personId, name: null, verified_at: nowMs })
        .execute();
    }
    await addPortalSession(db, {
      id: newId(),
      person_id: personId,
      token_hash: hashPortalToken(token),
      signed_in_by: identities.email === undefined ? "discord" : "email",
      ip: null,
      user_agent: null,
      created_at: nowMs,
      last_used_at: nowMs,
      expires_at: nowMs + 86_400_000,
    });
  });
  const cookie = `countersign_portal=${token}`;
  const origin = portalEnvironment.COUNTERSIGN_URL;
  return {
    personId,
    get: async (path) => checked("GET", path, await fetch(url + portalBase + path, { headers: { cookie } })),
    post: async (path, body, headers = {}) => {
      const response = await fetch(url + portalBase + path, {
        method: "POST",
        headers: {
          cookie,
          origin,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      return checked("POST", path, response);
    },
  };
}

const router = new Router(portalRoutes);

async function checked(method: string, path: string, response: Response): Promise<PortalAnswer> {
  const { status, headers } = response;
  const body = JSON.parse((await response.text()) || "{}");
  const match = router.match(method, path.split("?")[0] ?? "");
  if (!match.found) throw new Error(`The portal has no route ${method} ${path}.`);
  const { route } = match.bound;
  if (status >= 400) {
    expect(problem.safeParse(body).error?.message).toBeUndefined();
    const isDocumented = codesOf(route).some((one) => one === body.code);
    expect({ route: route.id, code: body.code, isDocumented }).toMatchObject({ isDocumented: true });
  } else {
    expect(status).toBe(route.status);
    expect(route.answer.safeParse(body).error?.message).toBeUndefined();
  }
  return { status, headers, body };
}
