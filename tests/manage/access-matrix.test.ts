import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { authBase } from "@countersign/contract/auth/route";
import { authRoutes } from "@countersign/contract/auth/routes";
import { manageBase } from "@countersign/contract/manage/base";
import type { Route } from "@countersign/contract/manage/route";
import { portalBase } from "@countersign/contract/portal/base";
import { type Permission, permissions } from "@countersign/domain/members/permissions";
import { registerIp } from "@countersign/store/queries/licenses/create";
import { manageRoutes, portalRoutes } from "../../apps/server/http/manage/routes.ts";
import { addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import { addToken, type FilledOrganization, fillOrganization } from "../support/filled-organization.ts";
import { type ManageAnswer, type ManageClient, manageClient } from "../support/manage-client.ts";
import type { Person } from "../support/manage-fixture.ts";
import { actionsOf, bodyFor, bodyNaming, furtherPermissions, idMembers } from "../support/matrix-bodies.ts";
import { mixedPath, namesIn, pathIn, pathWith, unknownId, unknownPath } from "../support/matrix-paths.ts";
import { openPortalFixture, type PortalFixture } from "../support/portal-fixture.ts";
import { addPortalCustomer, type PortalCustomer } from "../support/portal-rows.ts";
import { openDashboardSession } from "../support/sign-in-fixture.ts";
import { UnchangedDatabase } from "../support/unchanged-database.ts";

setDefaultTimeout(60_000);

const routes = manageRoutes.map(({ route }) => route);
const named = routes.map((route) => [`${route.method} ${route.path}`, route] as const);
const guarded = named.filter(([, route]) => route.access.who !== "anyone");
/** Routes that name a second resource below one of the caller's own: it may belong to another organization. */
const nested = guarded.filter(([, { path, access }]) => namesIn(path) > 1 && isInside(access.who));
const naming = guarded.filter(([, route]) => idMembers(route).length > 0 && isInside(route.access.who));

/** Routes that accept anonymous requests. A new one needs the reason why it is safe. */
const openToAnyone: Readonly<Record<string, string>> = {
  getSetup: "Says whether the link still works, to anyone who has its secret.",
  runSetup: "Needs the secret of the set-up link, which works once.",
  getReceivedInvitation: "Shows an invitation to anyone who has the secret from its email.",
  listPlans: "Prices and limits are for people who have no account yet, too.",
};

const portalNamed = portalRoutes.map(({ route }) => [`${route.method} ${route.path}`, route] as const);
const portalGuarded = portalNamed.filter(([, route]) => route.access.who !== "anyone");

const portalNaming = portalGuarded.filter(([, { path }]) => namesIn(path) > 0);

/** Valid bodies for the routes of the portal that name a resource and take one. */
const portalBodies: Readonly<Record<string, object>> = {
  requestTransfer: { email: "recipient@example.com", message: "For you" },
};

/** The same for the portal. */
const portalOpenToAnyone: Readonly<Record<string, string>> = {
  getPortalOptions: "The same for everyone.",
  getPortalSeller: "What a seller shows to all of its visitors.",
  getPortalLogo: "What a seller shows to all of its visitors.",
  requestPortalSignIn: "The response is the same for every email address.",
  verifyPortalSignIn: "Needs the code from the email.",
  signInWithPortalLink: "Needs the token from the email, which works once.",
  startPortalDiscord: "Starts a sign-in with Discord.",
  returnFromPortalDiscord: "Needs the cookie of the browser that started, and a code from Discord.",
};

/** Routes for users that accept every personal token, whatever its permissions. Each needs a reason. */
const openToEveryToken: Readonly<Record<string, string>> = {
  listAnnouncements: "The same list for everyone.",
  listOrganizations: "A token works in the organizations of its user and has to find them.",
  listPermissions: "The same list for everyone.",
};

/** These actions return their result, so a program that has one of them does not need to read every license. */
const singleActs = new Set<string>(
  permissions.filter((code) => code.startsWith("licenses:") && code !== "licenses:reset_ips"),
);

/** The parameter at the end of a path, after the list that contains it. */
const lastName = /\/\{\w+\}$/;

const alsoNeeded: Readonly<Record<string, readonly Permission[]>> = {
  listCustomerLicenses: ["licenses:view"],
};

/** Routes for users with a secret in the path instead of an ID: anyone who knows it may learn that it exists. */
const bySecret = new Set(["acceptInvitation"]);

/** Sign-in routes for users without a session: how they sign in, or regain access. */
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

describe.each(databases)("access to routes on $kind", ({ make }) => {
  let fixture: PortalFixture;
  let ours: FilledOrganization;
  let theirs: FilledOrganization;
  let customer: Person;
  let everythingButOwner: ManageClient;
  /** A platform admin who looks at our organization. */
  let impersonator: ManageClient;
  /** The owner's session in the dashboard. */
  let dashboardCookie: string;
  /** Customers of either organization, signed in to the portal. */
  let ourCustomer: PortalCustomer;
  let theirCustomer: PortalCustomer;
  /** Another customer of our organization, with a license of the same product. */
  let neighbor: PortalCustomer;
  let neighborLicenseId: string;
  let ourPortalPath: (route: Route) => string;
  /** For each permission, the clients that have all others: a member, the organization's token, the owner's token. */
  const missingPermission = new Map<string, readonly ManageClient[]>();
  let narrowTokens: { readonly admin: readonly string[]; readonly owner: readonly string[] };
  let database: UnchangedDatabase;
  beforeAll(async () => {
    fixture = await openPortalFixture(make);
    database = new UnchangedDatabase(fixture.store);
    const other = await fixture.person();
    const organization = await other.api.post("/organizations", { name: "Other" });
    const organizationId = String(organization.body.id);
    const product = await other.api.post(`/organizations/${organizationId}/products`, { name: "Other" });
    const { id: productId, api_key: apiKey } = product.body;
    const { productId: ourProductId } = fixture;
    const selfService = {
      portal_ip_removals_per_30_days: 9,
      portal_key_rotation: true,
      transfers: "review",
      transfer_cooldown_days: 0,
    };
    const allowed = await fixture.owner.api.patch(`/products/${ourProductId}`, selfService);
    expect(allowed.status).toBe(200);
    // Directly, without an event: endpoints would get it while the tests compare the tables.
    ({ id: neighborLicenseId } = await addLicense(fixture, { customer: { email: "neighbor@example.com" } }));
    neighbor = await addPortalCustomer(fixture.store, { idFor: () => neighborLicenseId });
    await fixture.store.transaction((db) => registerIp(db, neighborLicenseId, "203.0.113.77", Date.now()));
    ours = await fillOrganization(fixture, fixture.owner, fixture);
    theirs = await fillOrganization(fixture, other, { organizationId, productId, apiKey });
    customer = await fixture.person();
    everythingButOwner = (await fixture.member(permissions)).api;
    impersonator = (await fixture.person({ admin: true })).api;
    const looking = `/admin/organizations/${ours.organizationId}/impersonation`;
    expect((await impersonator.post(looking, { reason: "Ticket 1" })).status).toBe(201);
    for (const permission of permissions) missingPermission.set(permission, await withAllBut([permission]));
    narrowTokens = {
      admin: await narrowTokensOf(fixture.admin),
      owner: await narrowTokensOf(fixture.owner),
    };
    dashboardCookie = await openDashboardSession(fixture, fixture.owner);
    ourCustomer = await addPortalCustomer(fixture.store, ours);
    theirCustomer = await addPortalCustomer(fixture.store, theirs);
    const ids: Readonly<Record<string, string>> = {
      session_id: ourCustomer.sessionId,
      identity_id: ourCustomer.identityId,
    };
    ourPortalPath = (route) => pathWith(route, (name) => ids[name] ?? ours.idFor(name, route.path));
  });
  afterAll(() => fixture.close());

  /** A member, the organization's token and the owner's token, each with every permission except these. */
  const withAllBut = async (missing: readonly string[]): Promise<ManageClient[]> => {
    const rest = permissions.filter((one) => !missing.includes(one));
    return database.changing(async () => {
      const member = await fixture.member(rest);
      const tokens = await fixture.store.transaction(async (db) => [
        await addToken(db, { organizationId: ours.organizationId }, Date.now(), null, rest),
        await addToken(db, { userId: fixture.owner.userId }, Date.now(), null, rest),
      ]);
      return [member.api, ...tokens.map(({ token }) => as(token))];
    });
  };
  /** A user's tokens that lack one permission or have only one. */
  const narrowTokensOf = ({ userId }: Person): Promise<string[]> =>
    fixture.store.transaction(async (db) => {
      const tokens: string[] = [];
      for (const some of [permissions.slice(1), permissions.slice(0, -1), ["licenses:view"] as const])
        tokens.push((await addToken(db, { userId }, Date.now(), null, some)).token);
      return tokens;
    });
  const as = (token: string | null) => manageClient(fixture.server.url, token);

  test("every route that accepts anonymous requests is listed in this file with the reason", () => {
    const open = routes.filter((route) => route.access.who === "anyone").map((route) => route.id);
    expect(open.filter((id) => openToAnyone[id] === undefined)).toEqual([]);
  });

  test("every route that accepts every personal token is listed in this file with the reason", () => {
    const open = routes.filter(({ access }) => access.who === "person" && access.byToken === "any");
    expect(open.map((route) => route.id).sort()).toEqual(Object.keys(openToEveryToken).sort());
  });

  test("every sign-in route that needs no session is listed in this file", () => {
    const open = authRoutes.filter((route) => route.needs === "nobody").map((route) => route.path);
    expect(open.filter((path) => !opensSessions.has(path))).toEqual([]);
  });

  test.each(authRoutes.filter((route) => route.needs === "session"))(
    "$method /api/auth$path: needs a session and accepts no token or API key",
    async ({ method, path }) => {
      await database.during(`${method} ${path}`, async () => {
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

  test.each(guarded)(
    "%s: answers 401 without a token, with a product's API key and with an expired token",
    async (name, route) => {
      const path = pathIn(route, ours);
      const unknown = unknownPath(route);
      await database.during(name, async () => {
        for (const token of [null, theirs.apiKey, ours.apiKey, ours.expiredToken, "cst_nonsense"]) {
          const answer = await call(as(token), route, path);
          expect(answer.status).toBe(401);
          expect(answer.headers.get("www-authenticate")).toStartWith("Bearer");
          expect(contentOf(answer, path)).toBe(contentOf(await call(as(token), route, unknown), unknown));
        }
      });
    },
  );

  test.each(guarded)(
    "%s: tells outsiders nothing, not even whether the resource exists",
    async (name, route) => {
      const { who } = route.access;
      // Without a parameter, a route for users concerns only the caller.
      if (who === "person" && (namesIn(route.path) === 0 || bySecret.has(route.id))) return;
      const path = pathIn(route, ours);
      const unknown = unknownPath(route);
      const outsiders = [theirs.owner.api, customer.api];
      if (who !== "person") outsiders.push(as(theirs.token));
      // Platform admins, unless they view this organization.
      if (isInside(who)) outsiders.push(fixture.admin.api);
      if (who === "platform_admin") outsiders.push(fixture.owner.api, as(ours.token));
      await database.during(name, async () => {
        for (const client of outsiders) {
          const answer = await call(client, route, path, bodyFor(route, theirs));
          // Routes that need a session refuse a token before any lookup.
          expect(who === "person" ? [403, 404] : [404]).toContain(answer.status);
          const none = await call(client, route, unknown, bodyFor(route, theirs));
          expect(contentOf(answer, path)).toBe(contentOf(none, unknown));
        }
      });
    },
  );

  test.each(guarded.filter(([, { access }]) => isInside(access.who)))(
    "%s: a platform admin who looks at the organization reads what views are for, and changes nothing",
    async (name, route) => {
      await database.during(name, async () => {
        const answer = await call(impersonator, route, pathIn(route, ours), bodyFor(route, ours));
        expect([answer.status, answer.body.code]).toEqual(expectedOfImpersonator(route));
        // Other organizations do not exist for them.
        const path = pathIn(route, theirs);
        const unknown = unknownPath(route);
        const other = await call(impersonator, route, path, bodyFor(route, theirs));
        const none = await call(impersonator, route, unknown, bodyFor(route, theirs));
        expect(other.status).toBe(404);
        expect(contentOf(other, path)).toBe(contentOf(none, unknown));
      });
    },
  );

  test.each(guarded)("%s: refuses a caller without the permission", async (name, route) => {
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
    await database.during(name, async () => {
      for (const client of refused) {
        const answer = await call(client, route, path);
        expect(answer.status).toBe(403);
      }
    });
  });

  test.each(guarded.filter(([, { access }]) => !isInside(access.who) || access.who === "owner"))(
    "%s: refuses a personal token that lacks one permission or has only one",
    async (name, route) => {
      const { who } = route.access;
      const narrow = who === "platform_admin" ? narrowTokens.admin : narrowTokens.owner;
      const expected = who === "platform_admin" ? 404 : openToEveryToken[route.id] === undefined ? 403 : 200;
      await database.during(name, async () => {
        for (const token of narrow) {
          const answer = await call(as(token), route, pathIn(route, ours), bodyFor(route, ours));
          expect(answer.status).toBe(expected);
        }
      });
    },
  );

  test.each(guarded.filter(([, { access }]) => access.who === "member" && access.or.length > 0))(
    "%s: accepts each of its alternative permissions alone",
    async (_, route) => {
      if (route.access.who !== "member" || route.access.may === null) return;
      for (const permission of [route.access.may, ...route.access.or]) {
        await database.changing(async () => {
          // Grants what the handler itself also requires, which this test does not check.
          const member = await fixture.member([permission, ...(alsoNeeded[route.id] ?? [])]);
          const { status } = await call(member.api, route, pathIn(route, ours), bodyFor(route, ours));
          expect([permission, status]).toEqual([permission, route.status]);
        });
      }
    },
  );

  test("anyone who can manage a resource can list it", () => {
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

  test.each(named.filter(([, route]) => furtherPermissions[route.id] !== undefined))(
    "%s: requires the permission of each action",
    async (name, route) => {
      for (const { permission, body } of furtherPermissions[route.id] ?? []) {
        const sent = body((name) => ours.idFor(name, route.path));
        expect(route.body.safeParse(sent).error?.message).toBeUndefined();
        await database.during(name, async () => {
          for (const client of missingPermission.get(permission) ?? []) {
            expect((await call(client, route, pathIn(route, ours), sent)).status).toBe(403);
          }
        });
      }
    },
  );

  test("furtherPermissions covers every action of every route whose body chooses one", () => {
    for (const route of routes) {
      const known = (furtherPermissions[route.id] ?? []).map(({ body }) => JSON.stringify(body(() => "x")));
      const missing = actionsOf(route).filter(
        (action) => !known.some((text) => text.includes(`"action":"${action}"`)),
      );
      expect([route.id, missing]).toEqual([route.id, []]);
    }
  });

  test.each(nested)("%s: a nested resource of another organization is not found", async (name, route) => {
    const path = mixedPath(route, theirs, (name) => ours.idFor(name, route.path));
    const unknown = mixedPath(route, theirs, unknownId);
    await database.during(name, async () => {
      const answer = await call(theirs.owner.api, route, path, bodyFor(route, theirs));
      const none = await call(theirs.owner.api, route, unknown, bodyFor(route, theirs));
      expect(contentOf(answer, path)).toBe(contentOf(none, unknown));
      if (route.method !== "GET") expect(answer.status).toBe(404);
    });
  });

  test.each(naming)("%s: an ID of another organization in the body is not found", async (name, route) => {
    const path = pathIn(route, theirs);
    await database.during(name, async () => {
      for (const member of idMembers(route)) {
        const known = bodyNaming(route, theirs, member, (name) => ours.idFor(name, route.path));
        const unknown = bodyNaming(route, theirs, member, unknownId);
        const answer = await call(theirs.owner.api, route, path, known.body);
        const none = await call(theirs.owner.api, route, path, unknown.body);
        expect(contentOf(answer, `/${known.id}`)).toBe(contentOf(none, `/${unknown.id}`));
      }
    });
  });

  /** As a browser or program does, from the server's own origin. */
  const send = async (
    base: string,
    route: Pick<Route, "method">,
    path: string,
    headers: object,
    sent: object = {},
  ) => {
    const response = await fetch(fixture.url + base + path, {
      method: route.method,
      headers: { origin: fixture.url, "content-type": "application/json", ...headers },
      body: route.method === "GET" || route.method === "DELETE" ? null : JSON.stringify(sent),
      redirect: "manual",
    });
    const text = await response.text();
    const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
    const body = isJson && text !== "" ? (JSON.parse(text) ?? {}) : {};
    return { status: response.status, headers: response.headers, text, body };
  };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  test("every route of the portal that accepts anonymous requests is listed in this file with the reason", () => {
    const open = portalNamed.flatMap(([, route]) => (route.access.who === "anyone" ? [route.id] : []));
    expect(open.filter((id) => portalOpenToAnyone[id] === undefined)).toEqual([]);
  });

  test("every other route of the portal is for customers", () => {
    expect(new Set(portalGuarded.map(([, { access }]) => access.who))).toEqual(new Set(["customer"]));
  });

  test.each(portalGuarded)(
    "portal %s: answers 401 to everyone who is not a customer: nobody, users, tokens and API keys",
    async (name, route) => {
      const path = ourPortalPath(route);
      const unknown = unknownPath(route);
      const callers = [
        {},
        { cookie: dashboardCookie },
        // The right cookie name with the value of a dashboard session.
        { cookie: dashboardCookie.replace(/^[^=]+/, "countersign_portal") },
        { cookie: `countersign_portal=${"A".repeat(43)}` },
        ...[fixture.owner.token, fixture.admin.token, ours.token, ours.apiKey, ourCustomer.token].map(bearer),
      ];
      await database.during(name, async () => {
        for (const headers of callers) {
          const answer = await send(portalBase, route, path, headers);
          expect([answer.status, answer.body.code]).toEqual([401, "sign_in_required"]);
          const none = await send(portalBase, route, unknown, headers);
          expect(contentOf(answer, path)).toBe(contentOf(none, unknown));
        }
      });
    },
  );

  test("portalBodies has a valid body for every route of the portal that names a resource", () => {
    for (const [, route] of portalNaming)
      if (route.method === "POST")
        expect([route.id, route.body.safeParse(portalBodies[route.id]).success]).toEqual([route.id, true]);
  });

  test.each(portalNaming)(
    "portal %s: tells another customer nothing, not even whether the resource exists",
    async (name, route) => {
      const path = ourPortalPath(route);
      const unknown = unknownPath(route);
      await database.during(name, async () => {
        for (const { cookie } of [theirCustomer, neighbor]) {
          for (const body of [{}, portalBodies[route.id]]) {
            const answer = await send(portalBase, route, path, { cookie }, body);
            expect(answer.status).toBe(404);
            const none = await send(portalBase, route, unknown, { cookie }, body);
            expect(contentOf(answer, path)).toBe(contentOf(none, unknown));
          }
        }
      });
    },
  );

  test.each(portalNaming.filter(([, { path }]) => namesIn(path) > 1))(
    "portal %s: below the customer's own resource, another customer's is not found",
    async (_, route) => {
      const own = (idOf: (name: string) => string | undefined) =>
        pathWith(route, (name) => (name === "license_id" ? neighborLicenseId : idOf(name)));
      const path = own((name) => ours.idFor(name, route.path));
      const unknown = own(unknownId);
      const { cookie } = neighbor;
      const compare = async () => {
        const answer = await send(portalBase, route, path, { cookie });
        expect(answer.status).toBe(404);
        const none = await send(portalBase, route, unknown, { cookie });
        expect(contentOf(answer, path)).toBe(contentOf(none, unknown));
      };
      // A customer's attempts to change their own license are counted.
      await database.changing(compare, ["attempts"]);
    },
  );

  test.each(portalGuarded.filter(([, { method }]) => method !== "GET"))(
    "portal %s: refuses a request from another site",
    async (name, route) => {
      await database.during(name, async () => {
        for (const origin of ["https://evil.example.com", "null", `${fixture.url}.example.com`]) {
          const headers = { cookie: ourCustomer.cookie, origin };
          const answer = await send(portalBase, route, ourPortalPath(route), headers);
          expect([answer.status, answer.body.code]).toEqual([403, "wrong_origin"]);
        }
      });
    },
  );

  test.each(guarded)("%s: a customer's session in the portal opens nothing", async (name, route) => {
    const path = pathIn(route, ours);
    const unknown = unknownPath(route);
    const cookies = [
      ourCustomer.cookie,
      // The right cookie name with the value of a portal session.
      `countersign.session_token=${ourCustomer.token}`,
    ];
    await database.during(name, async () => {
      for (const cookie of cookies) {
        const answer = await send(manageBase, route, path, { cookie });
        expect([answer.status, answer.body.code]).toEqual([401, "authentication_required"]);
        const none = await send(manageBase, route, unknown, { cookie });
        expect(contentOf(answer, path)).toBe(contentOf(none, unknown));
      }
    });
  });

  test.each(authRoutes.filter((route) => route.needs === "session"))(
    "$method /api/auth$path: a customer's session in the portal opens nothing",
    async (route) => {
      await database.during(`${route.method} ${route.path}`, async () => {
        const answer = await send(authBase, route, route.path, { cookie: ourCustomer.cookie });
        expect([401, 403]).toContain(answer.status);
      });
    },
  );

  test("none of these requests changed the database", async () => {
    await database.compare();
  });

  test("portal: the same requests find the resource for the customer who has it", async () => {
    const found: Record<string, number> = {};
    // Last, because it ends the session.
    const last = (route: Route) => (route.path.includes("{session_id}") ? 1 : 0);
    for (const [, route] of [...portalNaming].sort(([, a], [, b]) => last(a) - last(b))) {
      const { cookie } = ourCustomer;
      const answer = await send(portalBase, route, ourPortalPath(route), { cookie }, portalBodies[route.id]);
      found[`${route.method} ${route.path}`] = answer.status;
    }
    expect(found).toEqual({
      "GET /licenses/{license_id}": 200,
      "POST /licenses/{license_id}/reveal-key": 200,
      "DELETE /licenses/{license_id}/ips/{ip}": 200,
      "POST /licenses/{license_id}/reset-ips": 200,
      "POST /licenses/{license_id}/rotate-key": 200,
      // A transfer of the license waits, and the last identity cannot be removed.
      "POST /licenses/{license_id}/transfers": 409,
      "POST /transfers/{transfer_id}/cancel": 200,
      "DELETE /me/identities/{identity_id}": 409,
      "DELETE /me/sessions/{session_id}": 204,
    });
  });
});

/** The status and the code. */
function expectedOfImpersonator({ method, access, answerType }: Route): [number, string | undefined] {
  if (method !== "GET") return [403, "impersonation_read_only"];
  if (answerType !== undefined) return [403, "impersonation_no_secrets"];
  if (access.who !== "member") return [403, "owner_required"];
  const isView = access.may === null || [access.may, ...access.or].some((one) => one.endsWith(":view"));
  return isView ? [200, undefined] : [403, "permission_missing"];
}

function isInside(who: string): boolean {
  return who === "member" || who === "owner";
}

function call(client: ManageClient, route: Route, path: string, body: object | null = null) {
  const headers: Record<string, string> = body === null ? {} : { "content-type": "application/json" };
  if (body === null && route.bodyTypes?.[0] !== undefined) headers["content-type"] = route.bodyTypes[0];
  return client.send(route.method, path, body === null ? null : JSON.stringify(body), headers);
}

/** The content of a response, without request IDs and the IDs in the path. */
function contentOf({ status, body, text }: ManageAnswer, path: string): string {
  const { request_id: _, ...rest } = body;
  const content = Object.keys(rest).length > 0 ? JSON.stringify(rest) : text;
  const ids = path.split("/").filter((part) => /\d|_/.test(part) || part.length > 30);
  return `${status} ${ids.reduce((all, id) => all.replaceAll(decodeURIComponent(id), "…"), content)}`;
}
