import { beforeAll, expect, test } from "bun:test";
import { openManageFixture } from "../support/manage-fixture.ts";
import { storedRow } from "../support/stored-rows.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

const webhook = { url: "https://example.com/hook" };
const token = { name: "CI", permissions: ["licenses:view"] };
const products = "/organizations/{organization}/products";
const webhooks = "/organizations/{organization}/webhooks";
const tokens = "/organizations/{organization}/access-tokens";
const product = "/products/{product}";
const revealed = `${product}/reveal-signing-secret`;

testsOn("postgres", "secrets and Idempotency-Key", openManageFixture, (fixture) => {
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    ids.organization = fixture.organizationId;
    ids.product = fixture.productId;
    ids.webhook = (await post(webhooks, webhook)).body.id;
  });
  const post = (path: string, body?: object, key = newId()) => {
    const to = path.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? "");
    return fixture.owner.api.post(to, body, { "idempotency-key": key });
  };

  test.each<[name: string, path: string, body: object | undefined, secret: string, replacedBy: string]>([
    ["creating a product", products, { name: "Once" }, "api_key", "rotate-key"],
    ["adding an API key", `${product}/api-keys`, { name: "Shop" }, "api_key", "rotate-key"],
    ["rotating an API key", `${product}/rotate-key`, {}, "api_key", "rotate-key"],
    ["showing signing secrets", revealed, undefined, "current.secret", "rotate-signing-secret"],
    ["rotating a signing secret", `${product}/rotate-signing-secret`, {}, "secret", "rotate-signing-secret"],
    ["creating a webhook endpoint", webhooks, webhook, "secret", "rotate-secret"],
    ["rotating a webhook secret", `${webhooks}/{webhook}/rotate-secret`, {}, "secret", "rotate-secret"],
    ["creating a personal access token", "/me/access-tokens", token, "token", "create a new one"],
    ["creating an organization's token", tokens, token, "token", "create a new one"],
  ])(
    "%s again with the Idempotency-Key says that the first response had a secret, which is not stored",
    async (_, path, body, secret, replacedBy) => {
      const key = newId();
      const first = await post(path, body, key);
      expect(first.status).toBeLessThan(300);
      const value: string = secret.split(".").reduce((member, name) => member[name], first.body);
      expect(value.length).toBeGreaterThan(20);

      const again = await post(path, body, key);
      expect(again.text).not.toContain(value);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      const shown = { code: "secret_already_shown", secret_fields: [secret] };
      expect(again).toMatchObject({ status: 409, body: shown });
      expect(again.body.detail).toContain(replacedBy);
      const rest = JSON.parse(first.text, (_, member) => (member === value ? undefined : member));
      expect(again.body.first_response).toEqual(rest);

      const row = await storedRow(fixture.store.reads, "idempotency_keys", { idempotency_key: key });
      const stored = Buffer.from(fixture.store.sealer.open(row.sealed_answer)).toString();
      expect(stored).not.toContain(value);
    },
  );

  test("a password is not part of the stored request, so a repeat with another one is the same request", async () => {
    const key = newId();
    const send = (changes: object) => post("/me/access-tokens", { ...token, ...changes }, key);
    expect((await send({ password: "a good password" })).status).toBe(201);
    expect((await send({ password: "another password" })).body.code).toBe("secret_already_shown");
    // Nobody else gets the stored response.
    const other = await fixture.admin.api.post("/me/access-tokens", token, { "idempotency-key": key });
    expect(other.status).toBe(201);
    expect((await send({ name: "Another" })).body.code).toBe("idempotency_key_reused");
  });

  test("of concurrent requests, one response contains the secret and one change is made", async () => {
    const [key, name] = [newId(), `Raced ${newId()}`];
    const answers = await Promise.all([1, 2, 3].map(() => post(products, { name }, key)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ text }) => text.includes('api_key":"csk_'))).toHaveLength(1);
    expect(await fixture.stored("products", { name })).toHaveLength(1);
  });

  test("signing secrets are shown again to a new request", async () => {
    expect((await post(revealed)).body).toEqual((await post(revealed)).body);
  });
});
