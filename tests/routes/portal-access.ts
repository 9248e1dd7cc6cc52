import { describe, expect, test } from "bun:test";
import { manageBase, portalBase } from "@countersign/contract/api/bases";
import type { Route } from "@countersign/contract/api/route";
import { authBase } from "@countersign/contract/auth/route";
import { authRoutes } from "@countersign/contract/auth/routes";
import { namesIn, pathIn, pathWith, unknownId, unknownPath } from "../support/matrix-paths.ts";
import { askedInVain, type RoutesFixture } from "./fixture.ts";
import { guarded, portalGuarded, portalNamed } from "./list.ts";

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

/** What customers may call: the routes of the portal, for what is theirs. */
export function portalAccessTests(routes: RoutesFixture): void {
  describe("access of customers", () => {
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const ourPortalPath = (route: Route) => {
      const { ours, ourCustomer } = routes;
      const ids: Readonly<Record<string, string>> = {
        session_id: ourCustomer.sessionId,
        identity_id: ourCustomer.identityId,
      };
      return pathWith(route, (name) => ids[name] ?? ours.idFor(name, route.path));
    };

    test("every route of the portal is for customers, or listed in this file with the reason why anyone may call it", () => {
      const open = portalNamed.flatMap(([, route]) => (route.access.who === "anyone" ? [route.id] : []));
      expect(open.filter((id) => portalOpenToAnyone[id] === undefined)).toEqual([]);
      expect(new Set(portalGuarded.map(([, { access }]) => access.who))).toEqual(new Set(["customer"]));
    });

    test.each(portalGuarded)(
      "the portal's %s answers 401 to everyone who is not a customer: nobody, users, tokens and API keys",
      async (name, route) => {
        const { ours, unchanged, dashboardCookie, ourCustomer, send, owner, admin } = routes;
        const callers = [
          {},
          { cookie: dashboardCookie },
          // The right cookie name with the value of a dashboard session.
          { cookie: dashboardCookie.replace(/^[^=]+/, "countersign_portal") },
          { cookie: `countersign_portal=${"A".repeat(43)}` },
          ...[owner.token, admin.token, ours.token, ours.apiKey, ourCustomer.token].map(bearer),
        ];
        await unchanged.during(name, async () => {
          for (const headers of callers) {
            const ask = (path: string) => send(portalBase, route, path, headers);
            const { status, body } = await askedInVain(ask, ourPortalPath(route), unknownPath(route));
            expect([status, body.code]).toEqual([401, "sign_in_required"]);
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
      "the portal's %s tells another customer nothing, not even whether the resource exists",
      async (name, route) => {
        const { unchanged, theirCustomer, neighbor, send } = routes;
        await unchanged.during(name, async () => {
          for (const { cookie } of [theirCustomer, neighbor]) {
            for (const body of [{}, portalBodies[route.id]]) {
              const ask = (path: string) => send(portalBase, route, path, { cookie }, body);
              const { status } = await askedInVain(ask, ourPortalPath(route), unknownPath(route));
              expect(status).toBe(404);
            }
          }
        });
      },
    );

    test.each(portalNaming.filter(([, { path }]) => namesIn(path) > 1))(
      "the portal's %s does not find another customer's resource below the customer's own",
      async (_, route) => {
        const { ours, unchanged, neighbor, neighborLicenseId, send } = routes;
        const own = (idOf: (name: string) => string | undefined) =>
          pathWith(route, (name) => (name === "license_id" ? neighborLicenseId : idOf(name)));
        const { cookie } = neighbor;
        const compare = async () => {
          const ask = (path: string) => send(portalBase, route, path, { cookie });
          const theirs = own((name) => ours.idFor(name, route.path));
          expect((await askedInVain(ask, theirs, own(unknownId))).status).toBe(404);
        };
        // A customer's attempts to change their own license are counted.
        await unchanged.changing(compare, ["attempts"]);
      },
    );

    test.each(portalGuarded.filter(([, { method }]) => method !== "GET"))(
      "the portal's %s refuses a request from another site",
      async (name, route) => {
        const { unchanged, ourCustomer, send, url } = routes;
        await unchanged.during(name, async () => {
          for (const origin of ["https://evil.example.com", "null", `${url}.example.com`]) {
            const headers = { cookie: ourCustomer.cookie, origin };
            const answer = await send(portalBase, route, ourPortalPath(route), headers);
            expect([answer.status, answer.body.code]).toEqual([403, "wrong_origin"]);
          }
        });
      },
    );

    test.each(guarded)("%s refuses a customer's session in the portal", async (name, route) => {
      const { ours, unchanged, ourCustomer, send } = routes;
      const cookies = [
        ourCustomer.cookie,
        // The right cookie name with the value of a portal session.
        `countersign.session_token=${ourCustomer.token}`,
      ];
      await unchanged.during(name, async () => {
        for (const cookie of cookies) {
          const ask = (path: string) => send(manageBase, route, path, { cookie });
          const { status, body } = await askedInVain(ask, pathIn(route, ours), unknownPath(route));
          expect([status, body.code]).toEqual([401, "authentication_required"]);
        }
      });
    });

    test.each(authRoutes.filter((route) => route.needs === "session"))(
      "$method /api/auth$path refuses a customer's session in the portal",
      async (route) => {
        const { unchanged, ourCustomer, send } = routes;
        await unchanged.during(`${route.method} ${route.path}`, async () => {
          const answer = await send(authBase, route, route.path, { cookie: ourCustomer.cookie });
          expect([401, 403]).toContain(answer.status);
        });
      },
    );

    test("requests that a customer may not make changed nothing in the database", async () => {
      const { unchanged } = routes;
      await unchanged.compare();
    });

    test("the same requests to the portal find the resource for the customer who has it", async () => {
      const { ourCustomer, send } = routes;
      const found: Record<string, number> = {};
      // Last, because it ends the session.
      const last = (route: Route) => (route.path.includes("{session_id}") ? 1 : 0);
      for (const [, route] of [...portalNaming].sort(([, a], [, b]) => last(a) - last(b))) {
        const { cookie } = ourCustomer;
        const body = portalBodies[route.id];
        const answer = await send(portalBase, route, ourPortalPath(route), { cookie }, body);
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
}
