import { randomBytes } from "node:crypto";
import { sealAttempt } from "@countersign/store/queries/webhooks/deliveries";
import { sealText } from "@countersign/store/sealed-columns";
import type { FilledOrganization } from "./filled-organization.ts";
import type { ManageFixture, Person } from "./manage-fixture.ts";
import { changeRows, storedRow } from "./stored-rows.ts";
import { newId } from "./test-organization.ts";

export type OrganizationSecrets = Awaited<ReturnType<typeof addSecrets>>;

/** Puts secrets into a filled organization: keys, URLs, and the texts and data of sellers. */
export async function addSecrets(
  { store, productId }: ManageFixture,
  owner: Person,
  filled: FilledOrganization,
) {
  /** By where it was put. The part of a license key that may be shown is left out. */
  const texts = new Map<string, string>();
  const secret = (place: string) => {
    const text = `s3cret${randomBytes(12).toString("hex")}`;
    texts.set(place, text);
    return text;
  };
  const call = async (method: "post" | "put" | "patch", path: string, body: object) => {
    const answer = await owner.api[method](path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  const organization = `/organizations/${filled.organizationId}`;
  const product = `/products/${productId}`;

  await call("patch", product, {
    custom_response_enabled: true,
    custom_response: { token: secret("custom response") },
    deliver_license_by_email: true,
    license_email_text: secret("email text"),
  });
  await call("put", `${product}/downloads`, {
    data: [{ title: "App", url: `https://downloads.example.com/${secret("download URL")}` }],
  });
  const { api_key: apiKey } = await call("post", `${product}/api-keys`, { name: "Shop" });
  texts.set("API key", apiKey.slice(12));
  const signing = await call("post", `${product}/rotate-signing-secret`, {});
  texts.set("signing secret", signing.secret);

  const key = `KEY-${secret("license key")}`.toUpperCase();
  texts.set("license key", key.slice(4));
  const license = await call("post", `${product}/licenses`, {
    license_key: key,
    customer_email: `${newId()}@example.com`,
    notes: secret("notes"),
    metadata: { [secret("name in metadata")]: secret("metadata") },
    custom_override: { token: secret("custom override") },
  });
  const changed = { notes: secret("changed notes"), metadata: { a: secret("b") } };
  await call("patch", `/licenses/${license.id}`, changed);
  await call("post", `/licenses/${license.id}/ips`, { ip: "203.0.113.5" });
  const rotated = await call("post", `/licenses/${license.id}/rotate-key`, {});
  texts.set("new license key", String(rotated.license_key).slice(4));
  const block = { cidr: "198.51.100.7", note: secret("block note") };
  await call("post", `/licenses/${license.id}/ip-blocks`, block);
  // Its audit log entry has the search term.
  await owner.api.get(`${organization}/licenses/export?q=${key}`);

  const webhook = await call("post", `${organization}/webhooks`, {
    url: `https://hooks.example.invalid/${secret("webhook URL")}?key=${secret("webhook query")}`,
    headers: { "x-shop": secret("webhook header") },
  });
  texts.set("webhook secret", webhook.secret);
  await call("patch", `${organization}/webhooks/${webhook.id}`, {
    url: `https://hooks.example.invalid/${secret("changed webhook URL")}`,
  });
  const limited = { name: "Build", permissions: ["licenses:view"] };
  const token = await call("post", `${organization}/access-tokens`, limited);
  texts.set("access token", String(token.token).slice(12));
  const invited = { email: `${newId()}@example.com`, role_id: filled.idFor("role_id", "") };
  const invitation = await call("post", `${organization}/invitations`, invited);
  const link = /\/invitations\/([\w-]+)/.exec(JSON.stringify(invitation))?.[1];
  if (link !== undefined) texts.set("invitation link", link);

  const endpointId = filled.idFor("endpoint_id", "") ?? "";
  const deliveryId = filled.idFor("delivery_id", "") ?? "";
  const { event_id: eventId } = await storedRow(store.reads, "deliveries", { id: deliveryId });
  const data = { license: rotated, previous: { license_key: key, notes: secret("old notes") } };
  await store.transaction(async (db) => {
    const sealed_url = sealText(db, `https://hooks.example.invalid/${secret("sealed URL")}`);
    await changeRows(db, "webhook_endpoints", { id: endpointId }, { sealed_url });
    await changeRows(db, "events", { id: eventId }, { data: JSON.stringify(data) });
    const attempt = {
      ...{ id: newId(), delivery_id: deliveryId, endpoint_id: endpointId },
      ...{ at: Date.now(), duration_ms: 5, status: 500 },
      request_headers: JSON.stringify({ "webhook-signature": secret("signature") }),
      response_body: `{"license_key":"${key}","error":"${secret("response")}"}`,
      failure: JSON.stringify({ code: "webhook_status", params: { status: 500 } }),
    };
    await db.insertInto("delivery_attempts").values(sealAttempt(db, attempt)).execute();
  });
  return {
    texts,
    /** A license with secrets, for paths with `{license_id}`. */
    licenseId: String(license.id),
  };
}
