import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { type Office, openSharedOffice } from "../support/office.ts";
import { newId } from "../support/seller.ts";

/** What creates or shows a secret: where to send it, which members of the answer are secret, what replaces them. */
interface Case {
  readonly name: string;
  path(office: Office): Promise<string> | string;
  readonly body?: object;
  readonly secrets: readonly string[];
  readonly replacedWith: string;
}

const cases: readonly Case[] = [
  {
    name: "creating a product",
    path: (office) => `/organizations/${office.organizationId}/products`,
    body: { name: "Once" },
    secrets: ["api_key"],
    replacedWith: "rotate-key",
  },
  {
    name: "adding an API key",
    path: (office) => `/products/${office.productId}/api-keys`,
    body: { name: "Shop" },
    secrets: ["api_key"],
    replacedWith: "rotate-key",
  },
  {
    name: "rotating an API key",
    path: (office) => `/products/${office.productId}/rotate-key`,
    body: {},
    secrets: ["api_key"],
    replacedWith: "rotate-key",
  },
  {
    name: "showing the signing secrets",
    path: (office) => `/products/${office.productId}/reveal-signing-secret`,
    secrets: ["current.secret"],
    replacedWith: "rotate-signing-secret",
  },
  {
    name: "rotating a signing secret",
    path: (office) => `/products/${office.productId}/rotate-signing-secret`,
    body: {},
    secrets: ["secret"],
    replacedWith: "rotate-signing-secret",
  },
  {
    name: "creating a webhook endpoint",
    path: (office) => `/organizations/${office.organizationId}/webhooks`,
    body: { url: "https://example.com/hook" },
    secrets: ["secret"],
    replacedWith: "rotate-secret",
  },
  {
    name: "rotating a webhook secret",
    path: async (office) => {
      const { body } = await office.owner.api.post(`/organizations/${office.organizationId}/webhooks`, {
        url: "https://example.com/hook",
      });
      return `/organizations/${office.organizationId}/webhooks/${body.id}/rotate-secret`;
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
    path: (office) => `/organizations/${office.organizationId}/access-tokens`,
    body: { name: "CI", permissions: ["licenses:view"] },
    secrets: ["token"],
    replacedWith: "create a new one",
  },
];

describe.each(databases)("secrets and Idempotency-Key on $kind", ({ make }) => {
  let office: Office;
  beforeAll(async () => {
    office = await openSharedOffice(make);
  });
  afterAll(() => office.close());

  describe.each(cases)("$name", ({ path, body, secrets, replacedWith }) => {
    test("a repeat says that the first answer contained a secret, and does not contain it", async () => {
      const to = await path(office);
      const headers = { "idempotency-key": newId() };
      const first = await office.owner.api.post(to, body, headers);
      expect(first.status).toBeLessThan(300);
      const values = secrets.map((field) => String(valueAt(first.body, field)));
      for (const value of values) expect(value.length).toBeGreaterThan(20);

      const again = await office.owner.api.post(to, body, headers);
      for (const value of values) expect(again.text).not.toContain(value);
      expect(again.status).toBe(409);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(again.body.code).toBe("secret_already_shown");
      expect(again.body.detail).toContain(replacedWith);
      expect(again.body.secret_fields).toEqual(secrets);
      expect(again.body.first_answer).toEqual(without(first.body, secrets));
    });

    test("the kept answer does not contain it", async () => {
      const to = await path(office);
      const key = newId();
      const first = await office.owner.api.post(to, body, { "idempotency-key": key });
      const row = await office.store.reads
        .selectFrom("idempotency_keys")
        .selectAll()
        .where("idempotency_key", "=", key)
        .executeTakeFirstOrThrow();
      const kept = Buffer.from(office.store.sealer.open(row.sealed_answer)).toString();
      for (const field of secrets) expect(kept).not.toContain(String(valueAt(first.body, field)));
    });
  });

  test("of two at once, one answer contains the secret and one change is made", async () => {
    const headers = { "idempotency-key": newId() };
    const to = `/organizations/${office.organizationId}/products`;
    const name = `Raced ${newId()}`;
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => office.owner.api.post(to, { name }, headers)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ text }) => text.includes('api_key":"csk_'))).toHaveLength(1);
    const rows = await office.store.reads
      .selectFrom("products")
      .select("id")
      .where("name", "=", name)
      .execute();
    expect(rows).toHaveLength(1);
  });

  test("signing secrets are shown again to a request of its own", async () => {
    const to = `/products/${office.productId}/reveal-signing-secret`;
    const first = await office.owner.api.post(to, undefined, { "idempotency-key": newId() });
    const second = await office.owner.api.post(to, undefined, { "idempotency-key": newId() });
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
