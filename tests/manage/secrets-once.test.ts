import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";

/** Routes that create or show a secret: the path, the secret members, and the route that replaces them. */
interface Case {
  readonly name: string;
  path(fixture: ManageFixture): Promise<string> | string;
  readonly body?: object;
  readonly secrets: readonly string[];
  readonly replacedWith: string;
}

const cases: readonly Case[] = [
  {
    name: "creating a product",
    path: (fixture) => `/organizations/${fixture.organizationId}/products`,
    body: { name: "Once" },
    secrets: ["api_key"],
    replacedWith: "rotate-key",
  },
  {
    name: "adding an API key",
    path: (fixture) => `/products/${fixture.productId}/api-keys`,
    body: { name: "Shop" },
    secrets: ["api_key"],
    replacedWith: "rotate-key",
  },
  {
    name: "rotating an API key",
    path: (fixture) => `/products/${fixture.productId}/rotate-key`,
    body: {},
    secrets: ["api_key"],
    replacedWith: "rotate-key",
  },
  {
    name: "showing the signing secrets",
    path: (fixture) => `/products/${fixture.productId}/reveal-signing-secret`,
    secrets: ["current.secret"],
    replacedWith: "rotate-signing-secret",
  },
  {
    name: "rotating a signing secret",
    path: (fixture) => `/products/${fixture.productId}/rotate-signing-secret`,
    body: {},
    secrets: ["secret"],
    replacedWith: "rotate-signing-secret",
  },
  {
    name: "creating a webhook endpoint",
    path: (fixture) => `/organizations/${fixture.organizationId}/webhooks`,
    body: { url: "https://example.com/hook" },
    secrets: ["secret"],
    replacedWith: "rotate-secret",
  },
  {
    name: "rotating a webhook secret",
    path: async (fixture) => {
      const { body } = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/webhooks`, {
        url: "https://example.com/hook",
      });
      return `/organizations/${fixture.organizationId}/webhooks/${body.id}/rotate-secret`;
    },
    body: {},
    secrets: ["secret"],
    replacedWith: "rotate-secret",
  },
  {
    name: "creating a personal access token",
    path: () => "/me/access-tokens",
    body: { name: "CI", permissions: ["licenses:view"] },
    secrets: ["token"],
    replacedWith: "create a new one",
  },
  {
    name: "creating an organization's access token",
    path: (fixture) => `/organizations/${fixture.organizationId}/access-tokens`,
    body: { name: "CI", permissions: ["licenses:view"] },
    secrets: ["token"],
    replacedWith: "create a new one",
  },
];

describe.each(databases)("secrets and Idempotency-Key on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
  });
  afterAll(() => fixture.close());

  describe.each(cases)("$name", ({ path, body, secrets, replacedWith }) => {
    test("a repeat says that the first response contained a secret, without it", async () => {
      const to = await path(fixture);
      const headers = { "idempotency-key": newId() };
      const first = await fixture.owner.api.post(to, body, headers);
      expect(first.status).toBeLessThan(300);
      const values = secrets.map((field) => String(valueAt(first.body, field)));
      for (const value of values) expect(value.length).toBeGreaterThan(20);

      const again = await fixture.owner.api.post(to, body, headers);
      for (const value of values) expect(again.text).not.toContain(value);
      expect(again.status).toBe(409);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(again.body.code).toBe("secret_already_shown");
      expect(again.body.detail).toContain(replacedWith);
      expect(again.body.secret_fields).toEqual(secrets);
      expect(again.body.first_response).toEqual(without(first.body, secrets));
    });

    test("the stored response does not contain it", async () => {
      const to = await path(fixture);
      const key = newId();
      const first = await fixture.owner.api.post(to, body, { "idempotency-key": key });
      const row = await fixture.store.reads
        .selectFrom("idempotency_keys")
        .selectAll()
        .where("idempotency_key", "=", key)
        .executeTakeFirstOrThrow();
      const kept = Buffer.from(fixture.store.sealer.open(row.sealed_answer)).toString();
      for (const field of secrets) expect(kept).not.toContain(String(valueAt(first.body, field)));
    });
  });

  test("of concurrent requests, one response contains the secret and one change is made", async () => {
    const headers = { "idempotency-key": newId() };
    const to = `/organizations/${fixture.organizationId}/products`;
    const name = `Raced ${newId()}`;
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => fixture.owner.api.post(to, { name }, headers)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ text }) => text.includes('api_key":"csk_'))).toHaveLength(1);
    const rows = await fixture.store.reads
      .selectFrom("products")
      .select("id")
      .where("name", "=", name)
      .execute();
    expect(rows).toHaveLength(1);
  });

  test("signing secrets are shown again to a new request", async () => {
    const to = `/products/${fixture.productId}/reveal-signing-secret`;
    const first = await fixture.owner.api.post(to, undefined, { "idempotency-key": newId() });
    const second = await fixture.owner.api.post(to, undefined, { "idempotency-key": newId() });
    expect(second.body).toEqual(first.body);
  });
});

function valueAt(body: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], body);
}

function without(body: object, paths: readonly string[]): unknown {
  const copy = structuredClone(body);
  for (const path of paths) {
    const [last = "", ...parents] = path.split(".").reverse();
    const parent = parents.length === 0 ? copy : valueAt(copy, parents.reverse().join("."));
    delete (parent as Record<string, unknown>)[last];
  }
  return copy;
}
