import { expect } from "bun:test";
import type { Route } from "@countersign/contract/api/route";
import { type Permission, permissions } from "@countersign/domain/members/permissions";
import { registerIp } from "@countersign/store/queries/licenses/create";
import { addLicense } from "../support/add-license.ts";
import type { TestDatabase } from "../support/databases.ts";
import { addToken, type FilledOrganization, fillOrganization } from "../support/filled-organization.ts";
import { type ManageAnswer, type ManageClient, manageClient } from "../support/manage-client.ts";
import type { Person } from "../support/manage-fixture.ts";
import { openPortalFixture, type PortalFixture } from "../support/portal-fixture.ts";
import { addPortalCustomer } from "../support/portal-rows.ts";
import { readAnswer } from "../support/read-answer.ts";
import { openDashboardSession } from "../support/sign-in-fixture.ts";
import { UnchangedDatabase } from "../support/unchanged-database.ts";

/** Two organizations with one of every resource, and every kind of caller. */
export type RoutesFixture = Awaited<ReturnType<typeof openRoutes>>;

export async function openRoutes(make: () => Promise<TestDatabase>) {
  const fixture = await openPortalFixture(make, {
    why: "sends odd input to routes of the platform, and compares the whole database",
    environment: {
      COUNTERSIGN_SIGN_UP: "open",
      COUNTERSIGN_DISCORD_CLIENT_ID: "1",
      COUNTERSIGN_DISCORD_CLIENT_SECRET: "s",
    },
  });
  const { store, owner, url } = fixture;
  const unchanged = new UnchangedDatabase(store);
  const as = (token: string | null) => manageClient(url, token);
  const settings = {
    portal_ip_removals_per_30_days: 9,
    portal_key_rotation: true,
    transfers: "review",
    transfer_cooldown_days: 0,
  };
  expect((await owner.api.patch(`/products/${fixture.productId}`, settings)).status).toBe(200);
  // Directly, without an event: endpoints would get it while the tests compare the tables.
  const { id: neighborLicenseId } = await addLicense(fixture, {
    customer: { email: "neighbor@example.com" },
  });
  const neighbor = await addPortalCustomer(store, { idFor: () => neighborLicenseId });
  await store.transaction((db) => registerIp(db, neighborLicenseId, "203.0.113.77", Date.now()));
  const ours = await fillOrganization(fixture, owner, fixture);
  const theirs = await fillOther(fixture);
  const everythingButOwner = (await fixture.member(permissions)).api;
  const impersonator = (await fixture.person({ admin: true })).api;
  const view = `/admin/organizations/${ours.organizationId}/impersonation`;
  expect((await impersonator.post(view, { reason: "Ticket 1" })).status).toBe(201);

  /** A member, the organization's token and the owner's token, each with every permission except these. */
  const withAllBut = (missing: readonly Permission[]): Promise<ManageClient[]> => {
    const rest = permissions.filter((permission) => !missing.includes(permission));
    return unchanged.changing(async () => {
      const member = await fixture.member(rest);
      const tokens = await store.transaction(async (db) => [
        await addToken(db, { organizationId: ours.organizationId }, Date.now(), null, rest),
        await addToken(db, { userId: owner.userId }, Date.now(), null, rest),
      ]);
      return [member.api, ...tokens.map(({ token }) => as(token))];
    });
  };
  const narrowTokensOf = ({ userId }: Person): Promise<string[]> =>
    store.transaction(async (db) => {
      const tokens: string[] = [];
      for (const few of [permissions.slice(1), permissions.slice(0, -1), ["licenses:view"] as const])
        tokens.push((await addToken(db, { userId }, Date.now(), null, few)).token);
      return tokens;
    });
  const lacking = new Map<Permission, readonly ManageClient[]>();
  for (const permission of permissions) lacking.set(permission, await withAllBut([permission]));
  return {
    ...fixture,
    ours,
    theirs,
    /** Checks that requests change nothing. */
    unchanged,
    /** A user without a membership. */
    outsider: await fixture.person(),
    everythingButOwner,
    /** A platform admin who looks at our organization. */
    impersonator,
    /** The owner's session in the dashboard. */
    dashboardCookie: await openDashboardSession(fixture, owner),
    /** Customers of either organization, signed in to the portal. */
    ourCustomer: await addPortalCustomer(store, ours),
    theirCustomer: await addPortalCustomer(store, theirs),
    /** Another customer of our organization, with a license of the same product. */
    neighbor,
    neighborLicenseId,
    as,
    withAllBut,
    /** The same as `withAllBut` for one permission, created once. */
    without: (permission: Permission) => lacking.get(permission) ?? [],
    /** A user's tokens that lack one permission or have only one. */
    narrowTokens: { admin: await narrowTokensOf(fixture.admin), owner: await narrowTokensOf(owner) },
    /** Sends as a browser or program does, from the server's own origin. */
    send: async (
      base: string,
      { method }: Pick<Route, "method">,
      path: string,
      headers: object,
      body: object = {},
    ): Promise<ManageAnswer> => {
      const response = await fetch(url + base + path, {
        method,
        headers: { origin: url, "content-type": "application/json", ...headers },
        body: method === "GET" || method === "DELETE" ? null : JSON.stringify(body),
        redirect: "manual",
      });
      const answer = await readAnswer(response);
      return { ...answer, body: answer.body ?? {} };
    },
  };
}

/** Another organization, of another owner. */
async function fillOther(fixture: PortalFixture): Promise<FilledOrganization> {
  const owner = await fixture.person();
  const { body: organization } = await owner.api.post("/organizations", { name: "Other" });
  const { body: product } = await owner.api.post(`/organizations/${organization.id}/products`, {
    name: "Other",
  });
  const made = { organizationId: organization.id, productId: product.id, apiKey: product.api_key };
  return fillOrganization(fixture, owner, made);
}

/** Calls a route with a JSON body, or with the headers of its content type and none. */
export function call(client: ManageClient, route: Route, path: string, body: object | null = null) {
  const headers: Record<string, string> = body === null ? {} : { "content-type": "application/json" };
  if (body === null && route.bodyTypes?.[0] !== undefined) headers["content-type"] = route.bodyTypes[0];
  return client.send(route.method, path, body === null ? null : JSON.stringify(body), headers);
}

/** The content of a response, without request IDs and the IDs in the path. */
export function contentOf({ status, body, text }: ManageAnswer, path: string): string {
  const { request_id: _, ...rest } = body;
  const content = Object.keys(rest).length > 0 ? JSON.stringify(rest) : text;
  const ids = path.split("/").filter((part) => /\d|_/.test(part) || part.length > 30);
  return `${status} ${ids.reduce((all, id) => all.replaceAll(decodeURIComponent(id), "…"), content)}`;
}

/** Asks for a resource and for an unknown one: the responses must not differ. Returns the first. */
export async function askedInVain(
  ask: (path: string) => Promise<ManageAnswer>,
  path: string,
  unknown: string,
): Promise<ManageAnswer> {
  const answer = await ask(path);
  expect(contentOf(answer, path)).toBe(contentOf(await ask(unknown), unknown));
  return answer;
}
