import { customerFor } from "@countersign/store/queries/customers/identify";
import { addUser } from "@countersign/store/queries/identity/users";
import { addIpBlocks, type BlockScope } from "@countersign/store/queries/ip-blocks/blocks";
import { createLicenses, registerIp } from "@countersign/store/queries/licenses/create";
import { sealText } from "@countersign/store/sealed-columns";
import type { Database } from "@countersign/store/store";
import type { Tables } from "@countersign/store/tables";
import type { Insertable } from "kysely";
import { waitingEmailRow } from "./emails.ts";
import { addPendingTransfer, addToken } from "./filled-organization.ts";
import { importRow } from "./import-row.ts";
import { insertInvitation, insertRole } from "./people-rows.ts";
import { newId, type TestOrganization } from "./test-organization.ts";

/**
 * Adds rows to every table of an organization that requests do not fill. The email address is the customer's, and is
 * also wherever else it could be.
 */
export async function addOrganizationRows(
  db: Database,
  { organizationId, productId }: Pick<TestOrganization, "organizationId" | "productId">,
  email: string,
  nowMs: number,
) {
  const member = newId();
  const user = { id: member, name: "Member", email: `${member}@example.com`, emailVerified: true };
  await addUser(db, { ...user, isPlatformAdmin: false }, nowMs);
  const who = { email, discordId: null, name: "Customer" };
  const customer = await customerFor(db, organizationId, who, newId, nowMs);
  const [license, licenseKey] = [newId(), `KEY-${newId()}`];
  const texts = { notes: `for ${email}`, tags: ["vip"], metadata: JSON.stringify({ contact: email }) };
  const belongs = { organizationId, productId, customerId: customer, maxIps: 3 };
  await createLicenses(db, [{ id: license, key: licenseKey, ...belongs, ...texts }], nowMs);
  await registerIp(db, license, "203.0.113.7", nowMs);
  await addPendingTransfer(db, { ...belongs, id: license, customerId: customer, email }, nowMs);
  const scopes: BlockScope[] = [
    { tier: "organization", organizationId },
    { tier: "customer", organizationId, customerId: customer },
    { tier: "license", organizationId, licenseId: license },
  ];
  const block = { cidr: "198.51.100.0/24", note: email, expiresAtMs: null };
  const blocks = scopes.map((scope) => ({ id: newId(), scope, ...block }));
  await addIpBlocks(db, blocks, nowMs);
  const { id: token } = await addToken(db, { organizationId }, nowMs);
  const custom_response = JSON.stringify({ contact: email });
  const customResponse = { custom_response, custom_response_enabled: 1 } as const;
  await db.updateTable("products").set(customResponse).where("id", "=", productId).execute();
  const role = await insertRole(db, { organization_id: organizationId, name: "Promised" });
  await insertInvitation(db, { organization_id: organizationId, email: `invited-${email}`, role_id: role });
  const ids = { member, customer, license, token, role, endpoint: newId() };
  for (const [table, values] of Object.entries(rowsOf(db, { ...belongs, ...ids }, email, nowMs)))
    await db
      .insertInto(table as "roles")
      .values(values as Insertable<Tables["roles"]>[])
      // A product that was created through the API has a test API key.
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return { ...ids, licenseKey };
}

type Rows = { readonly [Table in keyof Tables]?: readonly Insertable<Tables[Table]>[] };

/** In the order in which they can be inserted. */
function rowsOf(
  db: Database,
  ids: Record<"organizationId" | "productId" | "license" | "member" | "role" | "endpoint" | "token", string>,
  email: string,
  nowMs: number,
): Rows {
  const { license, member, role, endpoint, productId } = ids;
  const inOrganization = { organization_id: ids.organizationId };
  const ofProduct = { product_id: productId };
  const made = { created_at: nowMs };
  const changed = { created_at: nowMs, updated_at: nowMs };
  const [importId, event, delivery, person, erased] = [newId(), newId(), newId(), newId(), newId()];
  const sealed = sealText(db, email);
  const data = JSON.stringify({ email });
  const finished = { state: "finished", failed: 1, error_count: 1, claimed_until: 0 } as const;
  return {
    members: [{ ...inOrganization, user_id: member, role_id: role, ...made }],
    impersonations: [
      {
        ...{ id: newId(), session_id: newId(), user_id: member, ...inOrganization },
        ...{ reason: `Ticket of ${email}`, started_at: nowMs, expires_at: nowMs + 1 },
      },
    ],
    idempotency_keys: [
      {
        ...{ actor_id: ids.token, idempotency_key: newId(), fingerprint: "f" },
        ...{ status: 201, sealed_answer: sealed, ...made },
      },
    ],
    portal_actions: [{ id: newId(), license_id: license, action: "ip_removed", count: 1, at: nowMs }],
    unannounced_expiries: [{ license_id: license }],
    recorded_expiries: [{ license_id: license, type: "license.expired", ends_at: nowMs }],
    // A customer who is being erased.
    customers: [{ id: erased, ...inOrganization, discord_id: `erased ${erased}`, ...made }],
    customer_erasures: [
      { customer_id: erased, ...inOrganization, sealed_terms: sealText(db, "[]"), requested_at: 0 },
    ],
    erased_licenses: [{ customer_id: erased, license_id: license, since_at: 0, until_at: 0 }],
    former_holders: [
      { ...inOrganization, license_id: license, customer_id: erased, since_at: 0, until_at: 0 },
    ],
    portal_people: [{ id: person, ...changed }],
    portal_identities: [{ kind: "email", value: email, id: newId(), person_id: person, verified_at: nowMs }],
    product_versions: [{ ...ofProduct, version: "1.0.0", state: "latest", ...made }],
    product_downloads: [
      { ...ofProduct, position: 0, id: newId(), title: "Manual", url: `https://docs.example/${email}` },
    ],
    product_sandbox_keys: [{ ...ofProduct, public_id: newId(), api_key: newId(), ...made }],
    daily_usage: [{ ...ofProduct, day: 20_000, used: 5, last_granted: 5 }],
    imports: [importRow(ids, { ...finished, id: importId, file_name: `${email}.csv`, ...changed })],
    // More than are removed at once.
    import_pieces: Array.from({ length: 30 }, (_, number) => ({ import_id: importId, number, body: email })),
    import_undo: [{ import_id: importId, license_id: license, before: email }],
    import_rejects: [{ import_id: importId, number: 1, cells: email, errors: "[]" }],
    webhook_endpoints: [
      {
        id: endpoint,
        ...inOrganization,
        sealed_url: sealText(db, "https://hooks.example.invalid/in"),
        description: email,
        format: "standard",
        status: "disabled",
        auto_reenable: 0,
        probes: 0,
        ...changed,
      },
    ],
    webhook_secrets: [{ id: newId(), endpoint_id: endpoint, sealed_secret: sealed, ...made }],
    events: [{ id: event, ...inOrganization, ...ofProduct, type: "license.created", at: nowMs, data }],
    deliveries: [
      {
        ...{ id: delivery, ...inOrganization, endpoint_id: endpoint, event_id: event },
        ...{ event_type: "license.created", state: "failed", attempts: 1, finished_at: nowMs, ...made },
      },
    ],
    delivery_attempts: [
      {
        ...{ id: newId(), delivery_id: delivery, endpoint_id: endpoint, at: nowMs, duration_ms: 5 },
        ...{ request_headers: data, sealed_response: sealed },
      },
    ],
    organization_branding: [{ ...inOrganization, support_email: email, links: "[]", updated_at: nowMs }],
    organization_billing: [{ ...inOrganization, plan_note: `Paid by ${email}`, updated_at: nowMs }],
    waiting_emails: [waitingEmailRow({ ...inOrganization, license_id: license, ...made })],
    daily_emails: [{ sender_id: ids.organizationId, recipients: "customers", day: 20_000, used: 1 }],
  };
}
