import { beforeAll, describe, expect, test } from "bun:test";
import { authBase } from "@countersign/contract/auth/route";
import { authRoutes } from "@countersign/contract/auth/routes";
import { manageBase } from "@countersign/contract/manage/base";
import { nothing, type Route } from "@countersign/contract/manage/route";
import { portalBase } from "@countersign/contract/portal/base";
import fc from "fast-check";
import { z } from "zod";
import type { FilledOrganization } from "../support/filled-organization.ts";
import { anyText, bodyOf, memberNames, oddHeaders, oddSegment, realId } from "../support/odd-input.ts";
import { addPortalCustomer } from "../support/portal-rows.ts";
import { exchange } from "../support/raw-http.ts";
import { openDashboardSession } from "../support/sign-in-fixture.ts";
import { newId } from "../support/test-organization.ts";
import type { RoutesFixture } from "./fixture.ts";
import { manageRouteList, nextIp, portalRouteList } from "./list.ts";

/** Requests per route and caller. The long run uses a thousand. */
const perRoute = Number(process.env.COUNTERSIGN_FUZZ_PER_ROUTE ?? 4);
const togetherAtMost = 4;

type Caller = "anonymous" | "token" | "session" | "customer";

interface Fuzzed {
  readonly id: string;
  readonly method: string;
  /** The path below the base, with `{name}` for parameters. */
  readonly path: string;
  readonly query: z.ZodType;
  readonly body: z.ZodType | null;
  readonly bodyType: string;
  readonly access: string;
  readonly callers: readonly Caller[];
}

interface Generated {
  readonly segments: readonly (string | null)[];
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

const publicRoutes: Fuzzed[] = [
  { id: "validate", method: "POST", path: "/api/v1/validate" },
  { id: "lookup", method: "GET", path: "/api/v1/license/{license_key}" },
].map((route) => ({
  ...route,
  query: z.object({}),
  body: z.object({ license_key: z.string(), version: z.string(), device_id: z.string() }),
  ...{ bodyType: "application/json", access: "anyone", callers: ["anonymous"] },
}));

const signingIn: Fuzzed[] = authRoutes.map(({ id, method, path, query, body }) => ({
  ...{ id, method, path: authBase + path, query, body },
  ...{ bodyType: "application/json", access: "person", callers: ["anonymous", "session"] },
}));

function fuzzedBelow(base: string, routes: readonly Route[], caller: Caller): Fuzzed[] {
  return routes.map((route) => ({
    id: route.id,
    // A stream of events does not end.
    method: route.answerType === "text/event-stream" ? "HEAD" : route.method,
    ...{ path: base + route.path, query: route.query, body: takesBody(route) ? route.body : null },
    bodyType: route.bodyTypes?.[0] ?? "application/json",
    ...{ access: route.access.who, callers: ["anonymous", caller] },
  }));
}

/** Routes that delete what other routes need come last. */
const isEnding = ({ id, method }: Fuzzed) =>
  method === "DELETE" ||
  /^(sign|end|delete|remove|revoke|transfer|suspend|change|confirm|reset|rotate|cancel)/.test(id);
const fuzzed = [
  ...publicRoutes,
  ...fuzzedBelow(manageBase, manageRouteList, "token"),
  ...signingIn,
  ...fuzzedBelow(portalBase, portalRouteList, "customer"),
].sort((a, b) => Number(isEnding(a)) - Number(isEnding(b)));

/** Generated requests to every route of all APIs, as every kind of caller. */
export function generatedRequestTests(routes: RoutesFixture): void {
  describe("generated requests", () => {
    let cookie = "";
    let portalCookie = "";
    const seen = new Map<number, number>();
    beforeAll(async () => {
      cookie = await session();
      portalCookie = await portalSession();
    });

    const session = async () => openDashboardSession(routes, await routes.person(), nextIp());

    /** For a new account of the customer: the last one may have been deleted or have lost its email address. */
    const portalSession = async () => {
      await routes.store.transaction((db) => db.deleteFrom("portal_identities").execute());
      return (await addPortalCustomer(routes.store, routes.theirs)).cookie;
    };

    const organization = (route: Fuzzed) =>
      route.access === "platform_admin" || route.path.startsWith(portalBase) ? routes.theirs : routes.ours;
    const credentials = (route: Fuzzed, caller: Caller): Record<string, string> => {
      if (route.path.startsWith("/api/v1/")) return { authorization: `Bearer ${routes.apiKey}` };
      const person = route.access === "platform_admin" ? routes.admin : routes.owner;
      if (caller === "token") return { authorization: `Bearer ${person.token}` };
      if (caller === "customer") return { cookie: portalCookie, origin: routes.url };
      return caller === "session" ? { cookie, origin: routes.url } : {};
    };

    const send = async (route: Fuzzed, caller: Caller, one: Generated) => {
      const names = [...one.segments];
      const path = route.path.replace(/\{(\w+)\}/g, (_, name) => {
        return (
          names.shift() ?? organization(route).idFor(name, route.path.replace(/^\/api\/\w+\/v1/, "")) ?? "x"
        );
      });
      const body = one.body === null ? null : withIds(one.body, organization(route), path);
      const query = one.query.map(([name, value]) => `${name}=${value}`).join("&");
      const headers = {
        host: "test",
        "x-forwarded-for": nextIp(),
        ...(body === null ? {} : { "content-type": route.bodyType }),
        ...credentials(route, caller),
        ...one.headers,
        ...(body === null ? {} : { "content-length": String(body.length) }),
        connection: "close",
      };
      const lines = [
        `${route.method} ${path}${query === "" ? "" : `?${query}`} HTTP/1.1`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ];
      const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
      const answer = await exchange(routes.server.port, Buffer.concat([head, body ?? Buffer.alloc(0)]), {
        toHead: route.method === "HEAD",
        deadlineMs: 60_000,
      });
      const status = answer?.status ?? 0;
      seen.set(status, (seen.get(status) ?? 0) + 1);
      const isFine = status >= 100 && status < 500;
      return isFine ? null : `${status} to ${caller} ${lines.join(" | ")}: ${answer?.body.slice(0, 300)}`;
    };

    test.each(fuzzed.map((route) => [route.id, route] as const))("%s: never a 5xx", async (_, route) => {
      const generated = generator(route);
      for (const caller of route.callers) {
        await fc.assert(
          fc.asyncProperty(
            fc.array(generated, { minLength: togetherAtMost, maxLength: togetherAtMost }),
            async (together) => {
              const failures = await Promise.all(together.map((one) => send(route, caller, one)));
              expect(failures.filter((failure) => failure !== null)).toEqual([]);
            },
          ),
          // Anonymous callers are refused before most of the request is parsed.
          {
            numRuns: Math.ceil(perRoute / togetherAtMost / (caller === "anonymous" ? 4 : 1)),
            endOnFailure: true,
          },
        );
      }
      if (!isEnding(route)) return;
      cookie = await session();
      portalCookie = await portalSession();
    });

    test("the generators reached every intended outcome, and the log has no errors", async () => {
      for (const status of [200, 201, 204, 400, 401, 403, 404, 409, 415, 422])
        expect([status, (seen.get(status) ?? 0) > 0]).toEqual([status, true]);
      expect((await fetch(`${routes.url}/readyz`)).status).toBe(200);
      const errors = routes.server
        .output()
        .split("\n")
        .filter((line) => line.includes('"level":"error"'));
      expect(errors).toEqual([]);
    });
  });
}

function generator(route: Fuzzed): fc.Arbitrary<Generated> {
  const parameters = [...route.path.matchAll(/\{\w+\}/g)];
  const query = z.toJSONSchema(route.query, { io: "input", unrepresentable: "any" });
  const names = memberNames(query, query).filter((name) => name !== "wait_seconds");
  const value = fc.oneof(
    anyText.map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom("%00", "%ED%A0%80", "%", "1", "0", "-1", "true", "csv", "1e308", "eyJ9", "WzEsMl0"),
  );
  const name = fc.constantFrom(...names, "unknown", "__proto__", "%00");
  return fc.record({
    segments: fc.tuple(
      ...parameters.map(() =>
        fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: oddSegment }),
      ),
    ),
    query: fc.oneof(
      { weight: names.length === 0 ? 8 : 1, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.tuple(name, value), { maxLength: 3 }) },
    ),
    headers: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddHeaders }),
    body:
      route.body === null || route.method === "GET"
        ? fc.constant(null)
        : bodyOf(z.toJSONSchema(route.body, { io: "input", unrepresentable: "any" })),
  });
}

function withIds(body: Buffer, organization: FilledOrganization, path: string): Buffer {
  const below = path.slice(manageBase.length);
  const text = body
    .toString("latin1")
    .replace(realId, (_, name) => organization.idFor(`${name}_id`, below) ?? newId());
  return Buffer.from(text, "latin1");
}

function takesBody(route: Route): boolean {
  return route.bodyTypes !== undefined || (route.body as z.ZodType) !== nothing;
}
