import { describe, expect, test } from "bun:test";
import type { Route } from "@countersign/contract/api/route";
import { authBase } from "@countersign/contract/auth/route";
import { authRoutes } from "@countersign/contract/auth/routes";
import { type Permission, permissions } from "@countersign/domain/members/permissions";
import { listed } from "../support/listed.ts";
import type { ManageClient } from "../support/manage-client.ts";
import { mixedPath, namesIn, pathIn, unknownId, unknownPath } from "../support/matrix-paths.ts";
import { actionsOf, bodyFor, bodyNaming, furtherPermissions, idMembers } from "./bodies.ts";
import { askedInVain, call, contentOf, type RoutesFixture } from "./fixture.ts";
import { guarded, isInside, manageRouteList, named } from "./list.ts";

/** Routes that name a second resource below one of the caller's own: it may belong to another organization. */
const nested = guarded.filter(([, route]) => namesIn(route.path) > 1 && isInside(route));
const naming = guarded.filter(([, route]) => idMembers(route).length > 0 && isInside(route));

/** Routes that accept anonymous requests. A new one needs the reason why it is safe. */
const openToAnyone: Readonly<Record<string, string>> = {
  getConnection: "Says which IP address the caller itself has.",
  streamConnection: "Sends the same two events to everyone.",
  getSetup: "Says whether the link still works, to anyone who has its secret.",
  runSetup: "Needs the secret of the set-up link, which works once.",
  getReceivedInvitation: "Shows an invitation to anyone who has the secret from its email.",
  listPlans: "Prices and limits are for people who have no account yet, too.",
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
  exportCustomer: ["licenses:view", "requests:view", "audit_log:view"],
};

/** Routes for users with a secret in the path instead of an ID: anyone who knows it may learn that it exists. */
const bySecret = new Set(["acceptInvitation"]);

/** Sign-in routes for users without a session: how they sign in, or regain access. */
const opensSessions = listed(`
  /get-session /sign-out /sign-up/email /send-verification-email /verify-email /sign-in/email /sign-in/social
  /callback/discord /two-factor/verify-totp /two-factor/verify-backup-code /request-password-reset /reset-password
  /reset-password/inspect /passkey/generate-authenticate-options /passkey/verify-authentication
`);

/** Who may call the routes of the management API, and what everyone else learns: nothing. */
export function accessTests(routes: RoutesFixture): void {
  describe("access", () => {
    test("every route that needs no account, no permission or no session is listed in this file, with the reason", () => {
      const open = manageRouteList.filter(({ access }) => access.who === "anyone").map(({ id }) => id);
      expect(open.filter((id) => openToAnyone[id] === undefined)).toEqual([]);
      const toTokens = manageRouteList.filter(
        ({ access }) => access.who === "person" && access.byToken === "any",
      );
      expect(toTokens.map(({ id }) => id).sort()).toEqual(Object.keys(openToEveryToken).sort());
      const signingIn = authRoutes.filter(({ needs }) => needs === "nobody").map(({ path }) => path);
      expect(signingIn.filter((path) => !opensSessions.includes(path))).toEqual([]);
    });

    test.each(authRoutes.filter((route) => route.needs === "session"))(
      "$method /api/auth$path needs a session and accepts no token or API key",
      async (route) => {
        const { ours, unchanged, send, owner, admin } = routes;
        await unchanged.during(`${route.method} ${route.path}`, async () => {
          for (const token of [null, owner.token, admin.token, ours.token, ours.apiKey]) {
            const credentials = token === null ? {} : { authorization: `Bearer ${token}` };
            const { status } = await send(authBase, route, route.path, credentials);
            expect([401, 403]).toContain(status);
          }
        });
      },
    );

    test.each(guarded)(
      "%s answers 401 without a token, with a product's API key and with an expired token",
      async (name, route) => {
        const { ours, theirs, unchanged, as } = routes;
        await unchanged.during(name, async () => {
          for (const token of [null, theirs.apiKey, ours.apiKey, ours.expiredToken, "cst_nonsense"]) {
            const ask = (path: string) => call(as(token), route, path);
            const answer = await askedInVain(ask, pathIn(route, ours), unknownPath(route));
            expect(answer.status).toBe(401);
            expect(answer.headers.get("www-authenticate")).toStartWith("Bearer");
          }
        });
      },
    );

    test.each(guarded)(
      "%s tells outsiders nothing, not even whether the resource exists",
      async (name, route) => {
        const { ours, theirs, unchanged, outsider, as, owner, admin } = routes;
        const { who } = route.access;
        // Without a parameter, a route for users concerns only the caller.
        if (who === "person" && (namesIn(route.path) === 0 || bySecret.has(route.id))) return;
        const outsiders = [theirs.owner.api, outsider.api];
        if (who !== "person") outsiders.push(as(theirs.token));
        // Platform admins, unless they view this organization.
        if (isInside(route)) outsiders.push(admin.api);
        if (who === "platform_admin") outsiders.push(owner.api, as(ours.token));
        await unchanged.during(name, async () => {
          for (const client of outsiders) {
            const ask = (path: string) => call(client, route, path, bodyFor(route, theirs));
            const { status } = await askedInVain(ask, pathIn(route, ours), unknownPath(route));
            // Routes that need a session refuse a token before any lookup.
            expect(who === "person" ? [403, 404] : [404]).toContain(status);
          }
        });
      },
    );

    test.each(guarded.filter(([, route]) => isInside(route)))(
      "with %s, a platform admin who looks at the organization reads what views are for, and changes nothing",
      async (name, route) => {
        const { ours, theirs, unchanged, impersonator } = routes;
        await unchanged.during(name, async () => {
          const answer = await call(impersonator, route, pathIn(route, ours), bodyFor(route, ours));
          expect([answer.status, answer.body.code]).toEqual(expectedOfImpersonator(route));
          // Other organizations do not exist for them.
          const ask = (path: string) => call(impersonator, route, path, bodyFor(route, theirs));
          const other = await askedInVain(ask, pathIn(route, theirs), unknownPath(route));
          expect(other.status).toBe(404);
        });
      },
    );

    test.each(guarded)("%s refuses a caller without the permission", async (name, route) => {
      const { ours, theirs, unchanged, everythingButOwner, withAllBut, without, as } = routes;
      const { access } = route;
      const path = pathIn(route, ours);
      const refused: ManageClient[] = [];
      if (access.who === "member" && access.may !== null) {
        const needs = [access.may, ...access.or];
        if (needs.length === 1) refused.push(...without(access.may));
        else refused.push(...(await withAllBut(needs)));
      }
      if (access.who === "owner") refused.push(everythingButOwner, as(ours.token));
      if (access.who === "person") refused.push(as(ours.token), as(theirs.token));
      if (refused.length === 0) return;
      await unchanged.during(name, async () => {
        for (const client of refused) {
          const answer = await call(client, route, path);
          expect(answer.status).toBe(403);
        }
      });
    });

    test.each(guarded.filter(([, route]) => !isInside(route) || route.access.who === "owner"))(
      "%s refuses a personal token that lacks one permission or has only one",
      async (name, route) => {
        const { ours, unchanged, narrowTokens, as } = routes;
        const { who } = route.access;
        const narrow = who === "platform_admin" ? narrowTokens.admin : narrowTokens.owner;
        const expected =
          who === "platform_admin" ? 404 : openToEveryToken[route.id] === undefined ? 403 : 200;
        await unchanged.during(name, async () => {
          for (const token of narrow) {
            const answer = await call(as(token), route, pathIn(route, ours), bodyFor(route, ours));
            expect(answer.status).toBe(expected);
          }
        });
      },
    );

    test.each(guarded.filter(([, { access }]) => access.who === "member" && access.or.length > 0))(
      "%s accepts each of its alternative permissions alone",
      async (_, route) => {
        const { ours, unchanged, member } = routes;
        if (route.access.who !== "member" || route.access.may === null) return;
        for (const permission of [route.access.may, ...route.access.or]) {
          await unchanged.changing(async () => {
            // Grants what the handler itself also requires, which this test does not check.
            const { api } = await member([permission, ...(alsoNeeded[route.id] ?? [])]);
            const { status } = await call(api, route, pathIn(route, ours), bodyFor(route, ours));
            expect([permission, status]).toEqual([permission, route.status]);
          });
        }
      },
    );

    test("anyone who can manage a resource can list it", () => {
      const holes = manageRouteList.flatMap((write) => {
        if (write.method === "GET" || write.access.who !== "member" || write.access.may === null) return [];
        if (singleActs.has(write.access.may)) return [];
        const list = manageRouteList.find(
          (read) => read.method === "GET" && read.path === write.path.replace(lastName, ""),
        );
        if (list === undefined || list.access.who !== "member" || list.access.may === null) return [];
        const enough: readonly string[] = [list.access.may, ...list.access.or];
        const isListed = enough.includes(write.access.may);
        return isListed ? [] : [`${write.access.may}: ${write.id} without ${list.id}`];
      });
      expect(holes).toEqual([]);
    });

    test.each(named.filter(([, route]) => furtherPermissions[route.id] !== undefined))(
      "%s requires the permission of each action",
      async (name, route) => {
        const { ours, unchanged, without } = routes;
        for (const { permission, body } of furtherPermissions[route.id] ?? []) {
          const sent = body((name) => ours.idFor(name, route.path));
          expect(route.body.safeParse(sent).error?.message).toBeUndefined();
          await unchanged.during(name, async () => {
            for (const client of without(permission)) {
              expect((await call(client, route, pathIn(route, ours), sent)).status).toBe(403);
            }
          });
        }
      },
    );

    test("furtherPermissions covers every action of every route whose body chooses one", () => {
      for (const route of manageRouteList) {
        const known = (furtherPermissions[route.id] ?? []).map(({ body }) => JSON.stringify(body(() => "x")));
        const missing = actionsOf(route).filter(
          (action) => !known.some((text) => text.includes(`"action":"${action}"`)),
        );
        expect([route.id, missing]).toEqual([route.id, []]);
      }
    });

    test.each(nested)("%s does not find a nested resource of another organization", async (name, route) => {
      const { ours, theirs, unchanged } = routes;
      const path = mixedPath(route, theirs, (name) => ours.idFor(name, route.path));
      const unknown = mixedPath(route, theirs, unknownId);
      await unchanged.during(name, async () => {
        const ask = (path: string) => call(theirs.owner.api, route, path, bodyFor(route, theirs));
        const answer = await askedInVain(ask, path, unknown);
        if (route.method !== "GET") expect(answer.status).toBe(404);
      });
    });

    test.each(naming)("%s does not find an ID of another organization in the body", async (name, route) => {
      const { ours, theirs, unchanged } = routes;
      const path = pathIn(route, theirs);
      await unchanged.during(name, async () => {
        for (const member of idMembers(route)) {
          const known = bodyNaming(route, theirs, member, (name) => ours.idFor(name, route.path));
          const unknown = bodyNaming(route, theirs, member, unknownId);
          const answer = await call(theirs.owner.api, route, path, known.body);
          const none = await call(theirs.owner.api, route, path, unknown.body);
          expect(contentOf(answer, `/${known.id}`)).toBe(contentOf(none, `/${unknown.id}`));
        }
      });
    });
  });
}

/** The status and the code. */
function expectedOfImpersonator({ method, access, answerType }: Route): [number, string | undefined] {
  if (method !== "GET") return [403, "impersonation_read_only"];
  if (answerType !== undefined) return [403, "impersonation_no_secrets"];
  if (access.who !== "member") return [403, "owner_required"];
  const isView = access.may === null || [access.may, ...access.or].some((one) => one.endsWith(":view"));
  return isView ? [200, undefined] : [403, "permission_missing"];
}
