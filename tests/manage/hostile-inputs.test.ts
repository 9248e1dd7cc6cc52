import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { nothing, pathParameters, type Route } from "@countersign/contract/manage/route";
import { z } from "zod";
import { manageRoutes } from "../../apps/server/http/manage/routes.ts";
import { databases } from "../support/databases.ts";
import { type FilledOrganization, fillOrganization } from "../support/filled-organization.ts";
import type { ManageAnswer } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { bodyFor } from "../support/matrix-bodies.ts";
import { pathIn } from "../support/matrix-paths.ts";

setDefaultTimeout(120_000);

const routes = manageRoutes.map(({ route }) => route);

/** Text that no field may contain: PostgreSQL cannot store the first, and the others are not valid characters. */
const unstorable = ["a\u0000b", "a\ud800b", "\udc00"];
const values: readonly unknown[] = [
  ...unstorable,
  ["a\u0000b"],
  { "a\u0000b": 1 },
  "",
  "   ",
  7,
  -1,
  1.5,
  1e308,
  2 ** 60,
  true,
  null,
  [],
  {},
  [[]],
  [null],
  "x".repeat(200_000),
  "x".repeat(7_000),
  "ⅷ․ʼ".repeat(20),
  "00000000-0000-0000-0000-000000000000",
  "9999-12-31T23:59:59.999+14:00",
  "-271821-04-20T00:00:00Z",
];

const queryValues = [
  "",
  "%00",
  "a%00b",
  "%ED%A0%80",
  "-1",
  "1.5",
  "1e308",
  "9007199254740993",
  "null",
  "x".repeat(8_000),
];

const cursors = [
  "x",
  ...[
    [],
    [null],
    [null, null],
    ["a\u0000b"],
    ["\ud800"],
    [1.5],
    [1e308],
    ["", ""],
    ["x", "y"],
    ["a\u0000b", "a\u0000b"],
    [1.5, "x"],
    [1e308, "x"],
    [-1e308, "x"],
    ["x", 1],
    [1, 1],
    ["NaN", "x"],
    [1, "a\u0000b"],
    ["2026-13-45", "x"],
    ["starts", "x", "y"],
    ["holds", "x", "y"],
    ["holds", 1.5, "y"],
    [1, 2, 3],
    {},
    7,
  ].map((value) => Buffer.from(JSON.stringify(value)).toString("base64url")),
];

const pathValues = ["%00", "a%00b", "%ED%A0%80", "%F0%9F%92%A9", "..%2F..", "x".repeat(5_000), "%25", "%20"];

describe.each(databases)("hostile input on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  let ours: FilledOrganization;
  let theirs: FilledOrganization;
  beforeAll(async () => {
    // Anonymous requests use a new IP address each, because a single one would be rate limited.
    fixture = await openManageFixture(make, { COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.1" });
    ours = await fillOrganization(fixture, fixture.owner, fixture);
    const other = await fixture.person();
    const { body: organization } = await other.api.post("/organizations", { name: "Other" });
    const { body: product } = await other.api.post(`/organizations/${organization.id}/products`, {
      name: "A",
    });
    const made = { organizationId: organization.id, productId: product.id, apiKey: product.api_key };
    theirs = await fillOrganization(fixture, other, made);
  });
  afterAll(() => fixture.close());

  // Admin actions target the other organization, because they would lock out our owner.
  const pathFor = (route: Route) => (route.access.who === "platform_admin" ? theirs : ours);
  const clientFor = (route: Route) =>
    route.access.who === "platform_admin" ? fixture.admin.api : fixture.owner.api;
  const send = (route: Route, path: string, body: unknown): Promise<ManageAnswer> =>
    clientFor(route).send(route.method, path, body === undefined ? null : JSON.stringify(body), {
      "content-type": body === undefined ? (route.bodyTypes?.[0] ?? "text/plain") : "application/json",
      "x-forwarded-for": nextIp(),
    });

  test.each(routes.filter(takesJson).map((route) => [route.id, route] as const))(
    "%s: no body member causes a server error, and text that cannot be stored is named",
    async (id, route) => {
      for (const member of membersOf(route.body)) {
        for (const value of values) {
          const body = { ...bodyFor(route, pathFor(route)), [member]: value };
          const answer = await send(route, pathIn(route, pathFor(route)), body);
          note(kind, `${id} ${member} ${short(value)}`, answer);
          if (answer.status < 400 || !unstorable.includes(value as string)) continue;
          if ([403, 404, 415].includes(answer.status)) continue;
          expect([answer.status, named(answer)]).toEqual([422, expect.arrayContaining([member])]);
        }
      }
      for (const body of [null, [], "x", 7, { "a\u0000b": 1 }, { __proto__x: 1, constructor: 2 }]) {
        note(kind, `${id} ${short(body)}`, await send(route, pathIn(route, pathFor(route)), body));
      }
      const broken = await clientFor(route).send(route.method, pathIn(route, pathFor(route)), "{", {
        "content-type": "application/json",
      });
      note(kind, `${id} {`, broken);
    },
  );

  test.each(
    routes.filter((route) => membersOf(route.query).length > 0).map((route) => [route.id, route] as const),
  )("%s: no query causes a server error", async (id, route) => {
    const path = pathIn(route, pathFor(route));
    for (const member of membersOf(route.query)) {
      const tried = member === "cursor" ? [...cursors, ...queryValues] : queryValues;
      for (const value of tried) {
        const address = `${path}?${member}=${value}`;
        note(kind, `${id} ?${member}=${value.slice(0, 80)}`, await sendQuery(route, address));
      }
      note(kind, `${id} ?${member} twice`, await sendQuery(route, `${path}?${member}=1&${member}=2`));
    }
  });

  const sendQuery = (route: Route, address: string) =>
    route.method === "GET" ? clientFor(route).get(address) : send(route, address, undefined);

  test.each(
    routes
      .filter((route) => pathParameters(route.path).length > 0)
      .map((route) => [route.id, route] as const),
  )("%s: no path causes a server error, and none of these names a resource", async (id, route) => {
    const parameters = pathParameters(route.path);
    for (const parameter of parameters) {
      for (const value of pathValues) {
        const path = parameters.reduce(
          (so, one) =>
            so.replace(`{${one}}`, one === parameter ? value : (pathFor(route).idFor(one, route.path) ?? "")),
          route.path,
        );
        const answer = await send(
          route,
          path,
          takesJson(route) ? (bodyFor(route, pathFor(route)) ?? {}) : undefined,
        );
        note(kind, `${id} {${parameter}} ${value.slice(0, 40)}`, answer);
        if (route.method === "GET" && parameter !== "ip") expect(answer.status).toBe(404);
      }
    }
  });
});

test("both databases respond alike", () => {
  const [one, other] = [seen.get("sqlite"), seen.get("postgres")];
  const different = [...(one ?? [])].filter(([what, status]) => other?.get(what) !== status);
  expect(different.map(([what, status]) => [what, status, other?.get(what)])).toEqual([]);
});

const seen = new Map<string, Map<string, number>>();

let lastIp = 0;

function nextIp(): string {
  lastIp += 1;
  return `198.18.${(lastIp >> 8) & 255}.${lastIp & 255}`;
}

function note(kind: string, what: string, answer: ManageAnswer): void {
  const here = seen.get(kind) ?? new Map<string, number>();
  seen.set(kind, here.set(what, answer.status));
  if (answer.status >= 500) throw new Error(`${what} was answered ${answer.status}: ${answer.text}`);
}

function named(answer: ManageAnswer): string[] {
  return (answer.body.errors ?? []).map((error: { field: string }) => error.field);
}

function short(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 60) ?? "undefined";
}

function takesJson(route: Route): boolean {
  return route.bodyTypes === undefined && (route.body as z.ZodType) !== nothing;
}

/** The members of an object schema, or of all its variants. */
function membersOf(schema: z.ZodType): string[] {
  if (schema === nothing) return [];
  const walk = (one: z.core.JSONSchema.BaseSchema): string[] => [
    ...Object.keys(one.properties ?? {}),
    ...[...(one.anyOf ?? []), ...(one.oneOf ?? []), ...(one.allOf ?? [])].flatMap(walk),
  ];
  return [...new Set(walk(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })))];
}
