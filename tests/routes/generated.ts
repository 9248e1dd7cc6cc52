import { beforeAll, describe, expect, test } from "bun:test";
import { manageBase, portalBase } from "@countersign/contract/api/bases";
import { nothing, type Route } from "@countersign/contract/api/route";
import { authBase } from "@countersign/contract/auth/route";
import { authRoutes } from "@countersign/contract/auth/routes";
import fc from "fast-check";
import type { z } from "zod";
import { anyText, bodyOf, oddHeaders, oddSegment, realId } from "../support/odd-input.ts";
import { addPortalCustomer } from "../support/portal-rows.ts";
import { exchange } from "../support/raw-http.ts";
import { openDashboardSession } from "../support/sign-in-fixture.ts";
import { newId } from "../support/test-organization.ts";
import type { RoutesFixture } from "./fixture.ts";
import { inputSchema, manageRouteList, membersOf, nextIp, portalRouteList } from "./list.ts";

/** Requests per route and caller. The long run uses a thousand. */
const perRoute = Number(process.env.COUNTERSIGN_FUZZ_PER_ROUTE ?? 4);
const togetherAtMost = 4;

interface Fuzzed {
  readonly id: string;
  readonly method: string;
  readonly base: string;
  /** The path below the base, with `{name}` for parameters. */
  readonly path: string;
  readonly query: z.ZodType;
  readonly body: z.ZodType | null;
  readonly bodyType: string;
  readonly access: string;
}

interface Generated {
  readonly segments: readonly (string | null)[];
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

function fuzzedBelow(base: string, routes: readonly Route[]): Fuzzed[] {
  return routes.map((route) => {
    const takesBody = route.bodyTypes !== undefined || (route.body as z.ZodType) !== nothing;
    return {
      ...route,
      base,
      // A stream of events does not end.
      method: route.answerType === "text/event-stream" ? "HEAD" : route.method,
      body: takesBody ? route.body : null,
      bodyType: route.bodyTypes?.[0] ?? "application/json",
      access: route.access.who,
    };
  });
}

/** Routes that delete what other routes need come last. */
const isEnding = ({ id, method }: Fuzzed) =>
  method === "DELETE" ||
  /^(sign|end|delete|remove|revoke|transfer|suspend|change|confirm|reset|rotate|cancel)/.test(id);
const signingIn = { base: authBase, bodyType: "application/json", access: "person" };
const fuzzed: readonly Fuzzed[] = [
  ...fuzzedBelow(manageBase, manageRouteList),
  ...authRoutes.map((route) => ({ ...route, ...signingIn })),
  ...fuzzedBelow(portalBase, portalRouteList),
].sort((a, b) => Number(isEnding(a)) - Number(isEnding(b)));

/** Generated requests to every route but those of the public API, anonymous and as someone who may call it. */
export function generatedRequestTests(routes: RoutesFixture): void {
  describe("generators", () => {
    let cookie = "";
    let portalCookie = "";
    const seen = new Set<number>();
    const signIn = async () => {
      cookie = await openDashboardSession(routes, await routes.person(), nextIp());
      // A new account of the customer: the last one may have been deleted or have lost its email address.
      await routes.store.transaction((db) => db.deleteFrom("portal_identities").execute());
      portalCookie = (await addPortalCustomer(routes.store, routes.theirs)).cookie;
    };
    beforeAll(signIn);

    const organizationOf = ({ access, base }: Fuzzed) =>
      access === "platform_admin" || base === portalBase ? routes.theirs : routes.ours;
    const credentials = ({ access, base }: Fuzzed): Record<string, string> => {
      if (base === authBase) return { cookie, origin: routes.url };
      if (base === portalBase) return { cookie: portalCookie, origin: routes.url };
      const { token } = access === "platform_admin" ? routes.admin : routes.owner;
      return { authorization: `Bearer ${token}` };
    };

    const send = async (route: Fuzzed, isAnonymous: boolean, one: Generated) => {
      const idFor = (name: string) => organizationOf(route).idFor(name, route.path);
      const segments = [...one.segments];
      const below = route.path.replace(/\{(\w+)\}/g, (_, name) => segments.shift() ?? idFor(name) ?? "x");
      const query = one.query.map(([name, value]) => `${name}=${value}`).join("&");
      const text = one.body?.toString("latin1").replace(realId, (_, name) => idFor(`${name}_id`) ?? newId());
      const body = Buffer.from(text ?? "", "latin1");
      const headers = {
        host: "test",
        "x-forwarded-for": nextIp(),
        ...(one.body === null ? {} : { "content-type": route.bodyType }),
        ...(isAnonymous ? {} : credentials(route)),
        ...one.headers,
        ...(one.body === null ? {} : { "content-length": String(body.length) }),
        connection: "close",
      };
      const lines = [
        `${route.method} ${route.base}${below}${query === "" ? "" : `?${query}`} HTTP/1.1`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ];
      const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
      const options = { toHead: route.method === "HEAD", deadlineMs: 60_000 };
      const answer = await exchange(routes.server.port, Buffer.concat([head, body]), options);
      const status = answer?.status ?? 0;
      seen.add(status);
      const isFine = status >= 100 && status < 500;
      return isFine ? null : `${status} to ${lines.join(" | ")}: ${answer?.body.slice(0, 300)}`;
    };

    test.each(fuzzed.map((route) => [route.id, route] as const))("%s never answers 5xx", async (_, route) => {
      const together = fc.array(generator(route), { minLength: togetherAtMost, maxLength: togetherAtMost });
      for (const isAnonymous of [true, false]) {
        const isNeverFailing = fc.asyncProperty(together, async (requests) => {
          const failures = await Promise.all(requests.map((one) => send(route, isAnonymous, one)));
          expect(failures.filter((failure) => failure !== null)).toEqual([]);
        });
        // Anonymous callers are refused before most of the request is parsed.
        const numRuns = Math.ceil(perRoute / togetherAtMost / (isAnonymous ? 4 : 1));
        await fc.assert(isNeverFailing, { numRuns, endOnFailure: true });
      }
      if (isEnding(route)) await signIn();
    });

    test("generated requests reached every intended outcome, and the log has no errors", async () => {
      expect([...seen]).toEqual(expect.arrayContaining([200, 201, 204, 400, 401, 403, 404, 409, 415, 422]));
      expect((await fetch(`${routes.url}/readyz`)).status).toBe(200);
      const lines = routes.server.output().split("\n");
      expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    });
  });
}

function generator(route: Fuzzed): fc.Arbitrary<Generated> {
  const parameters = [...route.path.matchAll(/\{\w+\}/g)];
  const names = membersOf(route.query).filter((name) => name !== "wait_seconds");
  const value = fc.oneof(
    anyText.map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom("%00", "%ED%A0%80", "%", "1", "0", "-1", "true", "csv", "1e308", "eyJ9", "WzEsMl0"),
  );
  const name = fc.constantFrom(...names, "unknown", "__proto__", "%00");
  const segment = fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: oddSegment });
  return fc.record({
    segments: fc.tuple(...parameters.map(() => segment)),
    query: fc.oneof(
      { weight: names.length === 0 ? 8 : 1, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.tuple(name, value), { maxLength: 3 }) },
    ),
    headers: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddHeaders }),
    body: route.body === null || route.method === "GET" ? fc.constant(null) : bodyOf(inputSchema(route.body)),
  });
}
