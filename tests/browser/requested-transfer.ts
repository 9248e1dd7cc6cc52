import { portalBase } from "@countersign/contract/portal/base";
import { portalCookieName } from "../../apps/server/features/portal/cookies.ts";
import type { Dashboard } from "../support/dashboard.ts";
import { portalTokenOf } from "../support/portal-pages.ts";
import { newId } from "../support/test-organization.ts";

/** A customer who is signed in to the portal and can call its API. */
export interface SignedInCustomer {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  post(path: string, body?: unknown): Promise<any>;
}

/** Writes the session to the tables: how customers sign in is tested elsewhere. */
export async function signInToPortal({ fixture }: Dashboard, email: string): Promise<SignedInCustomer> {
  const token = await portalTokenOf(fixture.store, email);
  return {
    post: async (path, body = {}) => {
      const response = await fetch(fixture.url + portalBase + path, {
        method: "POST",
        headers: {
          cookie: `${portalCookieName(fixture.url)}=${token}`,
          origin: fixture.url,
          "content-type": "application/json",
          "idempotency-key": newId(),
        },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`POST ${path} was answered with ${response.status}: ${text}`);
      return JSON.parse(text);
    },
  };
}
