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
import { Browser, type BrowserAnswer } from "./browser.ts";
import type { TestDatabase } from "./databases.ts";
import { freePort } from "./free-port.ts";
import { type ManageFixture, openManageFixture } from "./manage-fixture.ts";
import { newId } from "./test-organization.ts";

/** A server that knows its own URL, so that it accepts changes from the portal's pages. */
export async function openPortalServer(make: () => Promise<TestDatabase>): Promise<ManageFixture> {
  const port = String(await freePort());
  return openManageFixture(make, {
    PORT: port,
    COUNTERSIGN_URL: `http://127.0.0.1:${port}`,
    COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.1/32",
  });
}

/** For servers whose port is not known in advance: changes are accepted from this origin. */
export const portalEnvironment = { COUNTERSIGN_URL: "http://license.example.com" };

/** A customer who is signed in to the portal. Checks every response against its route's contract. */
export interface PortalCustomer {
  readonly personId: string;
  get(path: string, headers?: Record<string, string>): Promise<BrowserAnswer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<BrowserAnswer>;
  delete(path: string, headers?: Record<string, string>): Promise<BrowserAnswer>;
}

/** Someone who has proven these identities, with a session, without the steps of a sign-in. */
export async function portalCustomer(
  { store, server }: { readonly store: Store; readonly server: { readonly url: string } },
  { emails = [], discordIds = [] }: { readonly emails?: string[]; readonly discordIds?: string[] },
  { ip = "198.51.100.1", origin }: { readonly ip?: string; readonly origin?: string } = {},
): Promise<PortalCustomer> {
  const personId = newId();
  const token = randomBytes(32).toString("base64url");
  const nowMs = Date.now();
  await store.transaction(async (db) => {
    await db
      .insertInto("portal_people")
      .values({ id: personId, locale: null, created_at: nowMs, updated_at: nowMs })
      .execute();
    const identities = [
      ...emails.map((value) => ({ kind: "email" as const, value })),
      ...discordIds.map((value) => ({ kind: "discord" as const, value })),
    ];
    for (const identity of identities) {
      await db
        .insertInto("portal_identities")
        .values({ ...identity, id: newId(), person_id: personId, name: null, verified_at: nowMs })
        .execute();
    }
    await addPortalSession(db, {
      id: newId(),
      person_id: personId,
      token_hash: hashPortalToken(token),
      signed_in_by: emails.length > 0 ? "email" : "discord",
      ip: null,
      user_agent: null,
      created_at: nowMs,
      last_used_at: nowMs,
      expires_at: nowMs + 86_400_000,
    });
  });
  const browser = new Browser(server.url, ip);
  browser.cookies.set("countersign_portal", token);
  const send = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const from = origin === undefined || method === "GET" ? {} : { origin };
    const answer = await browser.send(method, portalBase + path, body, { ...from, ...headers });
    checkContract(method, path, answer);
    return answer;
  };
  return {
    personId,
    get: (path, headers) => send("GET", path, undefined, headers),
    post: (path, body, headers) => send("POST", path, body, headers),
    delete: (path, headers) => send("DELETE", path, undefined, headers),
  };
}

const router = new Router(portalRoutes);

function checkContract(method: string, path: string, { status, body }: BrowserAnswer): void {
  const match = router.match(method, path.split("?")[0] ?? "");
  if (!match.found) return;
  const { route } = match.bound;
  if (status >= 400) {
    expect(problem.safeParse(body).error?.message).toBeUndefined();
    const isDocumented = codesOf(route).some((code) => code === body.code);
    expect({ route: route.id, code: body.code, isDocumented }).toMatchObject({ isDocumented: true });
    return;
  }
  expect(status).toBe(route.status);
  if (status === 204) return;
  expect(route.answer.safeParse(body).error?.message).toBeUndefined();
}
