import { describe, expect, test } from "bun:test";
import { pathParameters, type Route } from "@countersign/contract/api/route";
import { listed } from "../support/listed.ts";
import type { ManageAnswer } from "../support/manage-client.ts";
import { pathIn, pathWith } from "../support/matrix-paths.ts";
import { openRaw } from "../support/raw-http.ts";
import { bodyFor } from "./bodies.ts";
import type { RoutesFixture } from "./fixture.ts";
import { hasParameters, membersOf, named, nextIp, takesJson } from "./list.ts";

/** Text that no field may contain: PostgreSQL cannot store the first, and the others are not valid characters. */
const unstorable = ["a\u0000b", "a\ud800b", "\udc00"];

const values: readonly unknown[] = [
  [["a\u0000b"], { "a\u0000b": 1 }, "", "   ", "x".repeat(200_000), "x".repeat(7_000), "ⅷ․ʼ".repeat(20)],
  [7, -1, 1.5, 1e308, 2 ** 60, true, null, [], {}, [[]], [null]],
  ["00000000-0000-0000-0000-000000000000", "9999-12-31T23:59:59.999+14:00", "-271821-04-20T00:00:00Z"],
].flat();

const bodies: readonly unknown[] = [null, [], "x", 7, { "a\u0000b": 1 }, { __proto__x: 1, constructor: 2 }];

const queryValues = [
  ["", "%00", "a%00b", "%ED%A0%80", "null", "x".repeat(8_000)],
  ["-1", "1.5", "1e308", "9007199254740993"],
].flat();

const cursors = JSON.parse(`[
  [], [null], [null, null], ["a\\u0000b"], ["\\ud800"], [1.5], [1e308], {}, 7,
  ["", ""], ["x", "y"], ["a\\u0000b", "a\\u0000b"], ["x", 1], ["NaN", "x"], ["2026-13-45", "x"],
  [1.5, "x"], [1e308, "x"], [-1e308, "x"], [1, 1], [1, "a\\u0000b"], [1, 2, 3],
  ["starts", "x", "y"], ["holds", "x", "y"], ["holds", 1.5, "y"]
]`)
  .map((value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url"))
  .concat("x");

const pathValues = ["%00", "a%00b", "%ED%A0%80", "%F0%9F%92%A9", "..%2F..", "x".repeat(5_000), "%25", "%20"];

/** Fields that only the server sets, by a plausible value. */
const serverOwned: Readonly<Record<string, unknown>> = Object.fromEntries(
  (
    [
      ["0190a000-0000-7000-8000-000000000000", "id organization_id product_id user_id owner_id created_by"],
      ["2020-01-01T00:00:00Z", "created_at deleted_at accepted_at last_used_at"],
      [null, "suspended_at revoked_at"],
      [1_000_000, "daily_limit_override daily_emails_override organization_allowance"],
      [true, "is_platform_admin email_verified is_owner"],
      ["0", "hash token_hash sealed_secret search_text"],
      [0, "ip_count block_count ip_blocks_revision __proto__x"],
      ["enterprise", "plan"],
      ["active", "billing_state"],
    ] as const
  ).flatMap(([value, fields]) => listed(fields).map((field) => [field, value])),
);

/** Routes whose purpose is to set one of these fields. Additions must be deliberate. */
const deliberate: Readonly<Record<string, readonly string[]>> = {
  updatePlatformOrganization: ["plan", "daily_limit_override", "daily_emails_override", "billing_state"],
  updateUser: ["is_platform_admin", "organization_allowance"],
  // The plan to pay for.
  startCheckout: ["plan"],
  transferOwnership: ["user_id"],
};

/** No write sets a field that only the server sets. */
export function serverOwnedFieldTests(routes: RoutesFixture): void {
  const { send } = senderFor(routes);

  describe("fields of the server", () => {
    test.each(named.filter(([, route]) => takesJson(route)))(
      "fields that only the server sets are refused by %s",
      async (name, route) => {
        const { unchanged } = routes;
        const allowed = deliberate[route.id] ?? [];
        const sent = Object.fromEntries(
          Object.entries(serverOwned).filter(([field]) => !allowed.includes(field)),
        );
        const members = membersOf(route.body);
        expect(Object.keys(sent).filter((field) => members.includes(field))).toEqual([]);
        const { access } = route;
        if (access.who === "anyone" || (access.who === "person" && access.byToken === "never")) {
          // Parsed only, because these routes are rate limited or accept no token.
          expect(route.body.safeParse(sent).success).toBe(false);
          return;
        }
        await unchanged.during(name, async () => {
          const answer = await send(route, pathIn(route, routes.ours), sent);
          expect(answer.status).toBe(422);
          if (isPlainObject(route))
            expect(fieldsOf(answer)).toEqual(expect.arrayContaining(Object.keys(sent)));
        });
      },
    );

    test("requests with server-owned fields changed nothing", () => routes.unchanged.compare());
  });
}

/** What routes of the management API do with bodies, queries and paths that nobody should send. */
export function inputTests(routes: RoutesFixture): void {
  const { callerFor, send, pathFor, bodyWith, organizationFor } = senderFor(routes);

  describe("long bodies", () => {
    test.each(named.filter(([, route]) => takesJson(route) || route.bodyTypes !== undefined))(
      "a body longer than its limit is refused by %s before it arrives",
      async (_, route) => {
        const raw = await openRaw(routes.server.port);
        const head = [
          `${route.method} /api/manage/v1${pathFor(route)} HTTP/1.1`,
          "Host: test",
          `Authorization: Bearer ${callerFor(route).token}`,
          `X-Forwarded-For: ${nextIp()}`,
          `Content-Type: ${route.bodyTypes?.[0] ?? "application/json"}`,
          `Content-Length: ${route.bodyLimit.bytes + 1}`,
        ];
        raw.write(`${head.join("\r\n")}\r\n\r\n`);
        const answer = await raw.answer({ deadlineMs: 30_000 });
        raw.close();
        // Routes that accept no token refuse it earlier.
        if (answer?.status === 403) return;
        expect([answer?.status, answer?.headers.get("connection")]).toEqual([413, "close"]);
      },
    );
  });

  describe("invalid bodies", () => {
    test.each(named.filter(([, route]) => takesJson(route)))(
      "an invalid body causes no server error in %s, and text that cannot be stored is named",
      async (_, route) => {
        const members = membersOf(route.body);
        for (const value of members.length === 0 ? [] : unstorable) {
          // Text is checked before anything else, and the response names every member that has such text.
          const all = Object.fromEntries(members.slice(0, 20).map((member) => [member, value]));
          const answer = await send(route, pathFor(route), bodyWith(route, all));
          if ([403, 404, 415].includes(answer.status)) continue;
          expect(answer.status).toBe(422);
          expect(fieldsOf(answer)).toEqual(expect.arrayContaining(Object.keys(all)));
        }
        for (const value of values) {
          // A value that the schema refuses reaches nothing else, so one request for all members is enough.
          const refused = members.filter(
            (member) => !route.body.safeParse(bodyWith(route, { [member]: value })).success,
          );
          const accepted = members.filter((member) => !refused.includes(member));
          const all = Object.fromEntries(refused.map((member) => [member, value]));
          // A valid body would change what the next requests need.
          if (refused.length > 0) await send(route, pathFor(route), bodyWith(route, all));
          for (const member of accepted)
            await send(route, pathFor(route), bodyWith(route, { [member]: value }));
        }
        for (const body of bodies) await send(route, pathFor(route), body);
        const json = { "content-type": "application/json" };
        const broken = await callerFor(route).api.send(route.method, pathFor(route), "{", json);
        expect(broken.status).toBeLessThan(500);
      },
    );
  });

  describe("invalid queries", () => {
    test.each(named.filter(([, route]) => membersOf(route.query).length > 0))(
      "an invalid query causes no server error in %s",
      async (_, route) => {
        for (const member of membersOf(route.query)) {
          for (const value of member === "cursor" ? [...cursors, ...queryValues] : queryValues)
            await send(route, `${pathFor(route)}?${member}=${value}`, undefined);
          await send(route, `${pathFor(route)}?${member}=1&${member}=2`, undefined);
        }
      },
    );
  });

  describe("invalid paths", () => {
    test.each(named.filter(([, route]) => hasParameters(route)))(
      "an invalid path causes no server error in %s and finds nothing",
      async (_, route) => {
        for (const parameter of pathParameters(route.path)) {
          for (const value of pathValues) {
            const path = pathWith(route, (name) =>
              name === parameter ? value : organizationFor(route).idFor(name, route.path),
            );
            const answer = await send(route, path, takesJson(route) ? bodyWith(route, {}) : undefined);
            if (route.method === "GET" && parameter !== "ip") expect(answer.status).toBe(404);
          }
        }
      },
    );
  });
}

/** How a route is called with odd input: by whom, where, and with what. */
function senderFor(routes: RoutesFixture) {
  // Admin actions target the other organization, because they would lock out our owner.
  const organizationFor = ({ access }: Route) =>
    access.who === "platform_admin" ? routes.theirs : routes.ours;
  const callerFor = ({ access }: Route) => (access.who === "platform_admin" ? routes.admin : routes.owner);
  const send = async (route: Route, path: string, body: unknown): Promise<ManageAnswer> => {
    const text = body === undefined ? null : JSON.stringify(body);
    const type = text === null ? (route.bodyTypes?.[0] ?? "text/plain") : "application/json";
    const headers = { "content-type": type, "x-forwarded-for": nextIp() };
    const answer = await callerFor(route).api.send(route.method, path, text, headers);
    const request = `${route.id} ${path.slice(0, 200)} ${text?.slice(0, 200)}`;
    if (answer.status >= 500) throw new Error(`${request} was answered with ${answer.text}`);
    return answer;
  };
  const pathFor = (route: Route) => pathIn(route, organizationFor(route));
  const bodyWith = (route: Route, more: object) => ({ ...bodyFor(route, organizationFor(route)), ...more });
  return { callerFor, send, pathFor, bodyWith, organizationFor };
}

function fieldsOf(answer: ManageAnswer): string[] {
  return (answer.body.errors ?? []).map((error: { field: string }) => error.field);
}

function isPlainObject(route: Route): boolean {
  return membersOf(route.body).length > 0 && route.body.def.type === "object";
}
