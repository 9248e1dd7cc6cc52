import { expect, test } from "bun:test";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { storedRow } from "../support/stored-rows.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

const hook = { url: "https://example.com/hook" };
const token = { name: "CI", permissions: ["licenses:view"] };
const reveal = ofProduct("reveal-signing-secret");

type PathIn = (fixture: ManageFixture) => Promise<string> | string;

/** Routes that create or show a secret: the path and the body, the secret member, and what replaces it. */
const cases: readonly [name: string, path: PathIn, body: object | undefined, secret: string, by: string][] = [
  ["creating a product", ofOrganization("products"), { name: "Once" }, "api_key", "rotate-key"],
  ["adding an API key", ofProduct("api-keys"), { name: "Shop" }, "api_key", "rotate-key"],
  ["rotating an API key", ofProduct("rotate-key"), {}, "api_key", "rotate-key"],
  ["showing signing secrets", reveal, undefined, "current.secret", "rotate-signing-secret"],
  ["rotating a signing secret", ofProduct("rotate-signing-secret"), {}, "secret", "rotate-signing-secret"],
  ["creating a webhook endpoint", ofOrganization("webhooks"), hook, "secret", "rotate-secret"],
  ["rotating a webhook secret", rotationOfNewHook, {}, "secret", "rotate-secret"],
  ["creating a personal access token", () => "/me/access-tokens", token, "token", "create a new one"],
  ["creating an organization's token", ofOrganization("access-tokens"), token, "token", "create a new one"],
];

testsOn("postgres", "secrets and Idempotency-Key", openManageFixture, (fixture) => {
  test.each(cases)(
    "%s: a repeat says that the first response contained a secret, which is not stored",
    async (_, path, body, secret, by) => {
      const to = await path(fixture);
      const key = newId();
      const send = () => fixture.owner.api.post(to, body, { "idempotency-key": key });
      const first = await send();
      expect(first.status).toBeLessThan(300);
      const value = String(valueAt(first.body, secret));
      expect(value.length).toBeGreaterThan(20);

      const again = await send();
      expect(again.text).not.toContain(value);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      const shown = { code: "secret_already_shown", secret_fields: [secret] };
      expect(again).toMatchObject({ status: 409, body: shown });
      expect(again.body.detail).toContain(by);
      expect(again.body.first_response).toEqual(without(first.body, secret));

      const row = await storedRow(fixture.store.reads, "idempotency_keys", { idempotency_key: key });
      const stored = Buffer.from(fixture.store.sealer.open(row.sealed_answer)).toString();
      expect(stored).not.toContain(value);
    },
  );

  test("a password is not part of the stored request, so a repeat with another one is the same request", async () => {
    const headers = { "idempotency-key": newId() };
    const send = (body: object) =>
      fixture.owner.api.post("/me/access-tokens", { ...token, ...body }, headers);
    expect((await send({ password: "a good password" })).status).toBe(201);
    expect((await send({ password: "another password" })).body.code).toBe("secret_already_shown");
    expect((await send({ name: "Another" })).body.code).toBe("idempotency_key_reused");
  });

  test("of concurrent requests, one response contains the secret and one change is made", async () => {
    const headers = { "idempotency-key": newId() };
    const name = `Raced ${newId()}`;
    const to = ofOrganization("products")(fixture);
    const answers = await Promise.all([1, 2, 3].map(() => fixture.owner.api.post(to, { name }, headers)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ text }) => text.includes('api_key":"csk_'))).toHaveLength(1);
    expect(await fixture.stored("products", { name })).toHaveLength(1);
  });

  test("signing secrets are shown again to a new request", async () => {
    const shown = () =>
      fixture.owner.api.post(String(reveal(fixture)), undefined, { "idempotency-key": newId() });
    expect((await shown()).body).toEqual((await shown()).body);
  });
});

function ofOrganization(rest: string) {
  return ({ organizationId }: ManageFixture) => `/organizations/${organizationId}/${rest}`;
}

function ofProduct(rest: string) {
  return ({ productId }: ManageFixture) => `/products/${productId}/${rest}`;
}

async function rotationOfNewHook(fixture: ManageFixture): Promise<string> {
  const path = ofOrganization("webhooks")(fixture);
  const { body } = await fixture.owner.api.post(path, hook);
  return `${path}/${body.id}/rotate-secret`;
}

function valueAt(body: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], body);
}

function without(body: object, path: string): unknown {
  const copy = structuredClone(body);
  const [last = "", ...parents] = path.split(".").reverse();
  const parent = parents.length === 0 ? copy : valueAt(copy, parents.reverse().join("."));
  delete (parent as Record<string, unknown>)[last];
  return copy;
}
