import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { nothing, type Route } from "@countersign/contract/manage/route";
import { z } from "zod";
import { manageRoutes } from "../../apps/server/http/manage/routes.ts";
import { databaseContents } from "../support/database-contents.ts";
import { databases } from "../support/databases.ts";
import { type FilledOrganization, fillOrganization } from "../support/filled-organization.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { pathIn } from "../support/matrix-paths.ts";

setDefaultTimeout(60_000);

/** Server-owned fields, each with a plausible value. */
const serverOwned: Readonly<Record<string, unknown>> = {
  id: "0190a000-0000-7000-8000-000000000000",
  organization_id: "0190a000-0000-7000-8000-000000000000",
  product_id: "0190a000-0000-7000-8000-000000000000",
  user_id: "0190a000-0000-7000-8000-000000000000",
  owner_id: "0190a000-0000-7000-8000-000000000000",
  created_by: "0190a000-0000-7000-8000-000000000000",
  created_at: "2020-01-01T00:00:00Z",
  deleted_at: "2020-01-01T00:00:00Z",
  suspended_at: null,
  revoked_at: null,
  accepted_at: "2020-01-01T00:00:00Z",
  last_used_at: "2020-01-01T00:00:00Z",
  plan: "enterprise",
  daily_limit_override: 1_000_000,
  daily_emails_override: 1_000_000,
  billing_state: "active",
  is_platform_admin: true,
  organization_allowance: 1_000,
  email_verified: true,
  is_owner: true,
  hash: "0",
  token_hash: "0",
  sealed_secret: "0",
  ip_count: 0,
  block_count: 0,
  search_text: "x",
  ip_blocks_revision: 0,
  __proto__x: 1,
};

/** Routes whose purpose is to set one of these fields. Additions must be deliberate. */
const meant: Readonly<Record<string, readonly string[]>> = {
  updatePlatformOrganization: ["plan", "daily_limit_override", "daily_emails_override", "billing_state"],
  updateUser: ["is_platform_admin", "organization_allowance"],
  // The plan to pay for.
  startCheckout: ["plan"],
  transferOwnership: ["user_id"],
};

const writing = manageRoutes
  .map(({ route }) => route)
  .filter((route) => route.bodyTypes === undefined && (route.body as z.ZodType) !== nothing)
  .map((route) => [`${route.method} ${route.path}`, route] as const);

describe.each(databases)("server-owned fields on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let ours: FilledOrganization;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    ours = await fillOrganization(fixture, fixture.owner, fixture);
  });
  afterAll(() => fixture.close());

  test.each(writing)("are refused by %s", async (_, route) => {
    const sent = Object.fromEntries(
      Object.entries(serverOwned).filter(([name]) => !meant[route.id]?.includes(name)),
    );
    const taken = Object.keys(sent).filter((name) => membersOf(route).has(name));
    expect(taken).toEqual([]);
    const { access } = route;
    if (access.who === "anyone" || (access.who === "person" && access.byToken === "never")) {
      // Parsed only, because these routes are rate limited or accept no token.
      expect(route.body.safeParse(sent).success).toBe(false);
      return;
    }
    const caller = access.who === "platform_admin" ? fixture.admin : fixture.owner;
    const before = await databaseContents(fixture.store);
    const path = pathIn(route, ours);
    const answer = await caller.api.send(route.method, path, JSON.stringify(sent), {
      "content-type": "application/json",
    });
    expect(answer.status).toBe(422);
    const refused = answer.body.errors.map((error: { field: string }) => error.field);
    if (isPlainObject(route)) expect(refused).toEqual(expect.arrayContaining(Object.keys(sent)));
    expect(await databaseContents(fixture.store)).toEqual(before);
  });
});

function schemaOf(route: Route) {
  return z.toJSONSchema(route.body, { io: "input", unrepresentable: "any" });
}

/** Every member that a body may have, in any of its variants. */
function membersOf(route: Route): Set<string> {
  const { properties, anyOf = [], oneOf = [] } = schemaOf(route);
  return new Set(
    [properties, ...[...anyOf, ...oneOf].map((one) => one.properties)].flatMap((all) =>
      Object.keys(all ?? {}),
    ),
  );
}

function isPlainObject(route: Route): boolean {
  return schemaOf(route).properties !== undefined;
}
