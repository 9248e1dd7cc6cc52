import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { authBase } from "@countersign/contract/auth/route";
import { authRoutes } from "@countersign/contract/auth/routes";
import type { Route } from "@countersign/contract/manage/route";
import { type Permission, permissions } from "@countersign/domain/members/permissions";
import { manageRoutes } from "../../apps/server/http/manage/routes.ts";
import { databaseContents } from "../support/database-contents.ts";
import { databases } from "../support/databases.ts";
import { addToken, type FilledOrganization, fillOrganization } from "../support/filled-organization.ts";
import { type ManageAnswer, type ManageClient, manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture, type Person } from "../support/manage-fixture.ts";
import { actionsOf, bodyFor, bodyNaming, furtherNeeds, idMembers } from "../support/matrix-bodies.ts";
import { mixedPath, namesIn, pathIn, unknownId, unknownPath } from "../support/matrix-paths.ts";

setDefaultTimeout(60_000);

const routes = manageRoutes.map(({ route }) => route);
const named = routes.map((route) => [`${route.method} ${route.path}`, route] as const);
const guarded = named.filter(([, route]) => route.access.who !== "anyone");
/** Below a thing of the caller's own they name a second one, which may be somebody else's. */
const nested = guarded.filter(([, { path, access }]) => namesIn(path) > 1 && isInside(access.who));
const naming = guarded.filter(([, route]) => idMembers(route).length > 0 && isInside(route.access.who));

/** Routes that let anyone in, each on purpose. Whoever adds one has to say here why it is safe. */
const openToAnyone: Readonly<Record<string, string>> = {
  getSetup: "Says whether the link is one that works, to whoever has its secret.",
  runSetup: "Needs the secret of the set-up link, which works once.",
  getReceivedInvitation: "Shows an invitation to whoever has the secret from its letter.",
};

/** Routes for people that every personal token may call, whatever it names. Each needs its reason here. */
const openToEveryToken: Readonly<Record<string, string>> = {
  listOrganizations: "A token works in the organizations of its person, and has to find them.",
  listPermissions: "The same list for everyone.",
};

/** What these do they say in their answer, and a program that holds one of them need not see every license. */
const singleActs = new Set<string>(
  permissions.filter((code) => code.startsWith("licenses:") && code !== "licenses:reset_ips"),
);

/** The name of one thing at the end of a path, behind the list that it is in. */
const lastName = /\/\{\w+\}$/;

const alsoNeeded: Readonly<Record<string, readonly Permission[]>> = {
  listCustomerLicenses: ["licenses:view"],
};

/** Routes for people whose path holds a secret instead of an id: whoever knows it may know that it exists. */
const bySecret = new Set(["acceptInvitation"]);

/** What the sign-in library does for people who are not signed in: how they come in, or back in. */
const opensSessions = new Set([
  "/get-session",
  "/sign-out",
  "/sign-up/email",
  "/send-verification-email",
  "/verify-email",
  "/sign-in/email",
  "/two-factor/verify-totp",
  "/two-factor/verify-backup-code",
  "/sign-in/social",
  "/callback/discord",
  "/request-password-reset",
  "/reset-password",
  "/reset-password/inspect",
  "/passkey/generate-authenticate-options",
  "/passkey/verify-authentication",
]);

describe.each(databases)("who may call what on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let ours: FilledOrganization;
  let theirs: FilledOrganization;
  let customer: Person;
  let everythingButOwner: ManageClient;
  /** For each permission those of ours who have all but that one: a member, the organization's token, the owner's. */
  const missingPermission = new Map<string, readonly ManageClient[]>();
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    const other = await fixture.person();
    const organization = await other.api.post("/organizations", { name: "Other" });
    const organizationId = String(organization.body.id);
    const product = await other.api.post(`/organizations/${organizationId}/products`, { name: "Other" });
    const { id: productId, api_key: apiKey } = product.body;
    ours = await fillOrganization(fixture, fixture.owner, fixture);
    theirs = await fillOrganization(fixture, other, { organizationId, productId, apiKey });
    customer = await fixture.person();
    everythingButOwner = (await fixture.member(permissions)).api;
    for (const permission of permissions) missingPermission.set(permission, await withAllBut([permission]));
  });
  afterAll(() => fixture.close());

  /** A member, the organization's token and the owner's, who have every permission but these. */
  const withAllBut = async (missing: readonly string[]): Promise<ManageClient[]> => {
    const rest = permissions.filter((one) => !missing.includes(one));
    const member = await fixture.member(rest);
    const tokens = await fixture.store.transaction(async (db) => [
      await addToken(db, { organizationId: ours.organizationId }, Date.now(), null, rest),
      await addToken(db, { userId: fixture.owner.userId }, Date.now(), null, rest),
    ]);
    contents = undefined;
    return [member.api, ...tokens.map(({ token }) => as(token))];
  };
  const as = (token: string | null) => manageClient(fixture.server.url, token);
  let contents: Record<string, string> | undefined;
  const unchanged = async (work: () => Promise<void>) => {
    const before = contents ?? (await databaseContents(fixture.store));
    await work();
    contents = await databaseContents(fixture.store);
    expect(contents).toEqual(before);
  };

  test("a route that lets anyone in is listed in this file, with the reason", () => {
    const open = routes.filter((route) => route.access.who === "anyone").map((route) => route.id);
    expect(open.filter((id) => openToAnyone[id] === undefined)).toEqual([]);
  });

  test("a route that lets every personal token in is listed in this file, with the reason", () => {
    const open = routes.filter(({ access }) => access.who === "person" && access.byToken === "any");
    expect(open.map((route) => route.id).sort()).toEqual(Object.keys(openToEveryToken).sort());
  });

  test("an address of the sign-in library that lets anyone in is listed in this file", () => {
    const open = authRoutes.filter((route) => route.needs === "nobody").map((route) => route.path);
    expect(open.filter((path) => !opensSessions.has(path))).toEqual([]);
  });

  test.each(authRoutes.filter((route) => route.needs === "session"))(
    "$method /api/auth$path: needs a session, and no token or key stands in for it",
    async ({ method, path }) => {
      await unchanged(async () => {
        for (const token of [null, fixture.owner.token, fixture.admin.token, ours.token, ours.apiKey]) {
          const answer = await fetch(fixture.server.url + authBase + path, {
            method,
            headers: {
              origin: fixture.server.url,
              "content-type": "application/json",
              ...(token === null ? {} : { authorization: `Bearer ${token}` }),
            },
            body: method === "POST" ? "{}" : null,
          });
          await answer.text();
          expect([401, 403]).toContain(answer.status);
        }
      });
    },
  );

  test.each(guarded)("%s: nobody, a product's key and an expired token are sent away", async (_, route) => {
    const path = pathIn(route, ours);
    const unknown = unknownPath(route);
    await unchanged(async () => {
      for (const token of [null, theirs.apiKey, ours.apiKey, ours.expiredToken, "cst_nonsense"]) {
        const answer = await call(as(token), route, path);
        expect(answer.status).toBe(401);
        expect(answer.headers.get("www-authenticate")).toStartWith("Bearer");
        expect(saying(answer, path)).toBe(saying(await call(as(token), route, unknown), unknown));
      }
    });
  });

  test.each(guarded)("%s: whoever is outside learns nothing, not even that it exists", async (_, route) => {
    const { who } = route.access;
    // Without a parameter, a route for people is about the caller alone.
    if (who === "person" && (namesIn(route.path) === 0 || bySecret.has(route.id))) return;
    const path = pathIn(route, ours);
    const unknown = unknownPath(route);
    const outsiders = [theirs.owner.api, customer.api];
    if (who !== "person") outsiders.push(as(theirs.token));
    if (who === "platform_admin") outsiders.push(fixture.owner.api, as(ours.token));
    await unchanged(async () => {
      for (const client of outsiders) {
        const answer = await call(client, route, path, bodyFor(route, theirs));
        // What only a session may do is refused to a token before anything is looked up.
        expect(who === "person" ? [403, 404] : [404]).toContain(answer.status);
        const none = await call(client, route, unknown, bodyFor(route, theirs));
        expect(saying(answer, path)).toBe(saying(none, unknown));
      }
    });
  });

  test.each(guarded)("%s: without the permission it is refused", async (_, route) => {
    const { access } = route;
    const path = pathIn(route, ours);
    const refused: ManageClient[] = [];
    if (access.who === "member" && access.may !== null) {
      const needs = [access.may, ...access.or];
      if (needs.length === 1) refused.push(...(missingPermission.get(access.may) ?? []));
      else refused.push(...(await withAllBut(needs)));
    }
    if (access.who === "owner") refused.push(everythingButOwner, as(ours.token));
    if (access.who === "person") refused.push(as(ours.token), as(theirs.token));
    if (refused.length === 0) return;
    await unchanged(async () => {
      for (const client of refused) {
        const answer = await call(client, route, path);
        expect(answer.status).toBe(403);
      }
    });
  });

  test.each(guarded.filter(([, { access }]) => !isInside(access.who) || access.who === "owner"))(
    "%s: a personal token that lacks one permission, or names one alone, cannot call it",
    async (_, route) => {
      const { who } = route.access;
      const holder = who === "platform_admin" ? fixture.admin : fixture.owner;
      const narrow = await fixture.store.transaction(async (db) => [
        await addToken(db, { userId: holder.userId }, Date.now(), null, permissions.slice(1)),
        await addToken(db, { userId: holder.userId }, Date.now(), null, permissions.slice(0, -1)),
        await addToken(db, { userId: holder.userId }, Date.now(), null, ["licenses:view"]),
      ]);
      contents = undefined;
      const expected = who === "platform_admin" ? 404 : openToEveryToken[route.id] === undefined ? 403 : 200;
      await unchanged(async () => {
        for (const { token } of narrow) {
          const answer = await call(as(token), route, pathIn(route, ours), bodyFor(route, ours));
          expect(answer.status).toBe(expected);
        }
      });
    },
  );

  test.each(guarded.filter(([, { access }]) => access.who === "member" && access.or.length > 0))(
    "%s: each of the permissions that are enough is enough",
    async (_, route) => {
      if (route.access.who !== "member" || route.access.may === null) return;
      for (const permission of [route.access.may, ...route.access.or]) {
        // What a handler asks for besides is not in question here.
        const member = await fixture.member([permission, ...(alsoNeeded[route.id] ?? [])]);
        const { status } = await call(member.api, route, pathIn(route, ours), bodyFor(route, ours));
        expect([permission, status]).toEqual([permission, route.status]);
      }
      contents = undefined;
    },
  );

  test("whoever may manage something may read the list of it", () => {
    const holes = routes.flatMap((write) => {
      if (write.method === "GET" || write.access.who !== "member" || write.access.may === null) return [];
      if (singleActs.has(write.access.may)) return [];
      const list = routes.find(
        (read) => read.method === "GET" && read.path === write.path.replace(lastName, ""),
      );
      if (list === undefined || list.access.who !== "member" || list.access.may === null) return [];
      const enough: readonly string[] = [list.access.may, ...list.access.or];
      return enough.includes(write.access.may) ? [] : [`${write.access.may}: ${write.id} without ${list.id}`];
    });
    expect(holes).toEqual([]);
  });

  test.each(named.filter(([, route]) => furtherNeeds[route.id] !== undefined))(
    "%s: each thing that it can do needs its own permission",
    async (_, route) => {
      for (const { permission, body } of furtherNeeds[route.id] ?? []) {
        const sent = body((name) => ours.idFor(name, route.path));
        expect(route.body.safeParse(sent).error?.message).toBeUndefined();
        await unchanged(async () => {
          for (const client of missingPermission.get(permission) ?? []) {
            expect((await call(client, route, pathIn(route, ours), sent)).status).toBe(403);
          }
        });
      }
    },
  );

  test("a route whose body chooses an action says in furtherNeeds what each of them needs", () => {
    for (const route of routes) {
      const known = (furtherNeeds[route.id] ?? []).map(({ body }) => JSON.stringify(body(() => "x")));
      const missing = actionsOf(route).filter(
        (action) => !known.some((text) => text.includes(`"action":"${action}"`)),
      );
      expect([route.id, missing]).toEqual([route.id, []]);
    }
  });

  test.each(nested)("%s: a thing of another organization is not there either", async (_, route) => {
    const path = mixedPath(route, theirs, (name) => ours.idFor(name, route.path));
    const unknown = mixedPath(route, theirs, unknownId);
    await unchanged(async () => {
      const answer = await call(theirs.owner.api, route, path, bodyFor(route, theirs));
      const none = await call(theirs.owner.api, route, unknown, bodyFor(route, theirs));
      expect(saying(answer, path)).toBe(saying(none, unknown));
      if (route.method !== "GET") expect(answer.status).toBe(404);
    });
  });

  test.each(naming)("%s: an id of another organization in the body is not there either", async (_, route) => {
    const path = pathIn(route, theirs);
    await unchanged(async () => {
      for (const member of idMembers(route)) {
        const known = bodyNaming(route, theirs, member, (name) => ours.idFor(name, route.path));
        const unknown = bodyNaming(route, theirs, member, unknownId);
        const answer = await call(theirs.owner.api, route, path, known.body);
        const none = await call(theirs.owner.api, route, path, unknown.body);
        expect(saying(answer, `/${known.id}`)).toBe(saying(none, `/${unknown.id}`));
      }
    });
  });
});

function isInside(who: string): boolean {
  return who === "member" || who === "owner";
}

function call(client: ManageClient, route: Route, path: string, body: object | null = null) {
  const headers: Record<string, string> = body === null ? {} : { "content-type": "application/json" };
  if (body === null && route.bodyTypes?.[0] !== undefined) headers["content-type"] = route.bodyTypes[0];
  return client.send(route.method, path, body === null ? null : JSON.stringify(body), headers);
}

/** What an answer says, without what is different in every answer and in every path. */
function saying({ status, body, text }: ManageAnswer, path: string): string {
  const { request_id: _, ...rest } = body;
  const said = Object.keys(rest).length > 0 ? JSON.stringify(rest) : text;
  const ids = path.split("/").filter((part) => /\d|_/.test(part) || part.length > 30);
  return `${status} ${ids.reduce((all, id) => all.replaceAll(decodeURIComponent(id), "…"), said)}`;
}
