import type { Database } from "../../store.ts";
import type { OrganizationRow } from "../../tables/organizations.ts";
import { removeUnknownCustomers } from "../customers/identify.ts";
import { removeSomeRejects } from "../license-files/rejects.ts";
import { removeWaitingEmails, waitingEmails } from "../mail/waiting-emails.ts";
import { removeUnknownIdentities } from "../portal/people.ts";
import { emptyEndpoint } from "../webhooks/prune.ts";
import { lockedOrganization } from "./organizations.ts";

/** Those whose grace period is over and that still have data, whichever node started to remove them. */
export async function organizationsToRemove(
  db: Database,
  nowMs: number,
): Promise<Pick<OrganizationRow, "id" | "deleted_at">[]> {
  return db
    .selectFrom("organizations")
    .select(["id", "deleted_at"])
    .where("delete_after", "<=", nowMs)
    .orderBy("delete_after")
    .limit(100)
    .execute();
}

/**
 * The moment of deletion: it has no members, its products are deleted, its slug is free. Returns the previous row, or
 * nothing if its deletion was cancelled in the meantime, or another node was faster.
 */
export async function closeOrganization(
  db: Database,
  id: string,
  nowMs: number,
): Promise<OrganizationRow | undefined> {
  const before = await lockedOrganization(db, id);
  const isDue = (before?.delete_after ?? Number.POSITIVE_INFINITY) <= nowMs && before?.deleted_at === null;
  if (!isDue) return undefined;
  // Contains a character that no slug can contain, so that no other organization can take it and prevent the
  // deletion.
  await db
    .updateTable("organizations")
    .set({ deleted_at: nowMs, owner_id: null, slug: `~deleted-${id}`, updated_at: nowMs })
    .where("id", "=", id)
    .execute();
  await db
    .updateTable("products")
    .set({ deleted_at: nowMs, updated_at: nowMs })
    .where("organization_id", "=", id)
    .where("deleted_at", "is", null)
    .execute();
  await db
    .updateTable("products")
    .set({ custom_response: null, custom_response_enabled: 0 })
    .where("organization_id", "=", id)
    .execute();
  await db
    .deleteFrom("product_sandbox_keys")
    .where("product_id", "in", (products) =>
      products.selectFrom("products").select("id").where("organization_id", "=", id),
    )
    .execute();
  await db
    .deleteFrom("idempotency_keys")
    .where("actor_id", "in", (tokens) =>
      tokens.selectFrom("access_tokens").select("id").where("organization_id", "=", id),
    )
    .execute();
  for (const table of [
    "members",
    "invitations",
    "roles",
    "access_tokens",
    "organization_branding",
    "impersonations",
  ] as const) {
    await db.deleteFrom(table).where("organization_id", "=", id).execute();
  }
  await closeBilling(db, id, nowMs);
  return before;
}

/** The row of a customer of Stripe stays until their subscriptions were cancelled there, which is due now. */
async function closeBilling(db: Database, id: string, nowMs: number): Promise<void> {
  await db
    .deleteFrom("organization_billing")
    .where("organization_id", "=", id)
    .where("stripe_customer_id", "is", null)
    .execute();
  await db
    .updateTable("organization_billing")
    .set({
      plan_note: null,
      subscription_id: null,
      subscription_status: null,
      subscription_plan: null,
      subscription_interval: null,
      subscription_amount: null,
      subscription_currency: null,
      period_ends_at: null,
      cancels_at: null,
      trial_ends_at: null,
      due_at: null,
      sync_due_at: nowMs,
      updated_at: nowMs,
    })
    .where("organization_id", "=", id)
    .execute();
}

/** Removes some of its remaining data; returns whether there was any. Several nodes take turns. */
export async function removeSome(db: Database, organizationId: string, atMost: number): Promise<boolean> {
  await lockedOrganization(db, organizationId);
  for (const remove of drawers) {
    if (await remove(db, organizationId, atMost)) return true;
  }
  return false;
}

type Drawer = (db: Database, organizationId: string, atMost: number) => Promise<boolean>;

/** Files first: their imports stop, and add nothing to what is removed afterwards. */
const drawers: readonly Drawer[] = [
  removeImports,
  removeEmails,
  removeEndpoints,
  removeEvents,
  removeTransfers,
  removeLicenses,
  removeBlocks,
  removeCustomers,
  removeUsage,
  removeVersions,
  removeDownloads,
];

/** Import files: each chunk can be large, so only a few at a time. */
async function removeImports(db: Database, organizationId: string, atMost: number): Promise<boolean> {
  const imports = await db
    .selectFrom("imports")
    .select("id")
    .where("organization_id", "=", organizationId)
    .orderBy("id")
    .limit(1)
    .execute();
  for (const { id } of imports) {
    const pieces = await db
      .selectFrom("import_pieces")
      .select("number")
      .where("import_id", "=", id)
      .limit(Math.ceil(atMost / 20))
      .execute();
    const undo = await db
      .selectFrom("import_undo")
      .select("license_id")
      .where("import_id", "=", id)
      .limit(atMost)
      .execute();
    if (pieces.length > 0) {
      const numbers = pieces.map((piece) => piece.number);
      await db
        .deleteFrom("import_pieces")
        .where("import_id", "=", id)
        .where("number", "in", numbers)
        .execute();
    }
    if (undo.length > 0) {
      const ids = undo.map((row) => row.license_id);
      await db.deleteFrom("import_undo").where("import_id", "=", id).where("license_id", "in", ids).execute();
    }
    const hadRejects = await removeSomeRejects(db, id, atMost);
    if (pieces.length + undo.length === 0 && !hadRejects)
      await db.deleteFrom("imports").where("id", "=", id).execute();
  }
  return imports.length > 0;
}

/** Emails that wait to be written, and the counts of those that were. */
async function removeEmails(db: Database, organizationId: string, atMost: number): Promise<boolean> {
  const waiting = await waitingEmails(db, organizationId, atMost);
  await removeWaitingEmails(
    db,
    waiting.map(({ id }) => id),
  );
  const counted = await db
    .deleteFrom("daily_emails")
    .where("sender_id", "=", organizationId)
    .executeTakeFirst();
  return waiting.length > 0 || counted.numDeletedRows > 0n;
}

/** All deliveries are removed with their endpoint. */
async function removeEndpoints(db: Database, organizationId: string, atMost: number): Promise<boolean> {
  const endpoint = await db
    .selectFrom("webhook_endpoints")
    .select("id")
    .where("organization_id", "=", organizationId)
    .limit(1)
    .executeTakeFirst();
  if (endpoint === undefined) return false;
  if (!(await emptyEndpoint(db, endpoint.id, atMost)))
    await db.deleteFrom("webhook_endpoints").where("id", "=", endpoint.id).execute();
  return true;
}

async function removeEvents(db: Database, organizationId: string, atMost: number): Promise<boolean> {
  const events = await db
    .selectFrom("events")
    .select("id")
    .where("organization_id", "=", organizationId)
    .limit(atMost)
    .execute();
  if (events.length === 0) return false;
  const ids = events.map((event) => event.id);
  await db.deleteFrom("events").where("id", "in", ids).execute();
  return true;
}

async function removeTransfers(db: Database, organizationId: string, atMost: number): Promise<boolean> {
  const transfers = await db
    .selectFrom("transfers")
    .select("id")
    .where("organization_id", "=", organizationId)
    .limit(atMost)
    .execute();
  if (transfers.length === 0) return false;
  const ids = transfers.map((transfer) => transfer.id);
  await db.deleteFrom("transfers").where("id", "in", ids).execute();
  return true;
}

async function removeLicenses(db: Database, organizationId: string, atMost: number): Promise<boolean> {
  const licenses = await db
    .selectFrom("licenses")
    .select(["id", "customer_id"])
    .where("organization_id", "=", organizationId)
    .limit(atMost)
    .execute();
  if (licenses.length === 0) return false;
  const ids = licenses.map((license) => license.id);
  // A license can have thousands of IP addresses: then some of these are removed first, and the licenses later.
  const ips = await db
    .selectFrom("license_ips")
    .select(["license_id", "ip"])
    .where("license_id", "in", ids)
    .limit(atMost * 5)
    .execute();
  if (ips.length === atMost * 5) {
    const [first] = ips;
    const some = ips.filter((row) => row.license_id === first?.license_id).map((row) => row.ip);
    await db
      .deleteFrom("license_ips")
      .where("license_id", "=", first?.license_id ?? "")
      .where("ip", "in", some)
      .execute();
    return true;
  }
  await db.deleteFrom("license_ips").where("license_id", "in", ids).execute();
  await db.deleteFrom("license_tags").where("license_id", "in", ids).execute();
  await db.deleteFrom("recorded_expiries").where("license_id", "in", ids).execute();
  await db.deleteFrom("unannounced_expiries").where("license_id", "in", ids).execute();
  await db.deleteFrom("portal_actions").where("license_id", "in", ids).execute();
  await db.deleteFrom("licenses").where("id", "in", ids).execute();
  const customerIds = licenses.flatMap((license) => license.customer_id ?? []);
  await removeUnknownIdentities(db, await removeUnknownCustomers(db, customerIds));
  return true;
}

async function removeBlocks(db: Database, organizationId: string, atMost: number): Promise<boolean> {
  const blocks = await db
    .selectFrom("ip_blocks")
    .select("id")
    .where("organization_id", "=", organizationId)
    .limit(atMost)
    .execute();
  if (blocks.length === 0) return false;
  const ids = blocks.map((block) => block.id);
  await db.deleteFrom("ip_blocks").where("id", "in", ids).execute();
  return true;
}

async function removeCustomers(db: Database, organizationId: string, atMost: number): Promise<boolean> {
  const customers = await db
    .selectFrom("organization_customers")
    .select("customer_id")
    .where("organization_id", "=", organizationId)
    .limit(atMost)
    .execute();
  if (customers.length === 0) return false;
  const ids = customers.map((customer) => customer.customer_id);
  await db
    .deleteFrom("organization_customers")
    .where("organization_id", "=", organizationId)
    .where("customer_id", "in", ids)
    .execute();
  await removeUnknownIdentities(db, await removeUnknownCustomers(db, ids));
  return true;
}

async function removeUsage(db: Database, organizationId: string): Promise<boolean> {
  const used = await db
    .selectFrom("daily_usage")
    .innerJoin("products", "products.id", "daily_usage.product_id")
    .select("product_id")
    .where("products.organization_id", "=", organizationId)
    .limit(1)
    .executeTakeFirst();
  if (used === undefined) return false;
  await db.deleteFrom("daily_usage").where("product_id", "=", used.product_id).execute();
  return true;
}

async function removeVersions(db: Database, organizationId: string): Promise<boolean> {
  const known = await db
    .selectFrom("product_versions")
    .innerJoin("products", "products.id", "product_versions.product_id")
    .select("product_id")
    .where("products.organization_id", "=", organizationId)
    .limit(1)
    .executeTakeFirst();
  if (known === undefined) return false;
  await db.deleteFrom("product_versions").where("product_id", "=", known.product_id).execute();
  return true;
}

async function removeDownloads(db: Database, organizationId: string): Promise<boolean> {
  const known = await db
    .selectFrom("product_downloads")
    .innerJoin("products", "products.id", "product_downloads.product_id")
    .select("product_id")
    .where("products.organization_id", "=", organizationId)
    .limit(1)
    .executeTakeFirst();
  if (known === undefined) return false;
  await db.deleteFrom("product_downloads").where("product_id", "=", known.product_id).execute();
  return true;
}

export interface AuditPosition {
  readonly at: number;
  readonly id: string;
}

/**
 * Who did what and when stays recorded; what it was about is removed: names, and the values before and after, which
 * contain customer data. The organization's own entries, such as its deletion, stay complete. Returns where to
 * continue.
 */
export async function emptyAuditEntries(
  db: Database,
  organizationId: string,
  after: AuditPosition | null,
  atMost: number,
): Promise<AuditPosition | null> {
  let query = db.selectFrom("audit_log").select(["id", "at"]).where("organization_id", "=", organizationId);
  if (after !== null) {
    query = query
      .where("at", ">=", after.at)
      .where((is) => is.or([is("at", ">", after.at), is("id", ">", after.id)]));
  }
  const entries = await query.orderBy("at").orderBy("id").limit(atMost).execute();
  const last = entries.at(-1);
  if (last === undefined) return null;
  await db
    .updateTable("audit_log")
    .set({ subject_name: null, before: null, after: null })
    .where(
      "id",
      "in",
      entries.map((entry) => entry.id),
    )
    .where("subject_kind", "!=", "organization")
    .where((is) =>
      is.or([is("subject_name", "is not", null), is("before", "is not", null), is("after", "is not", null)]),
    )
    .execute();
  return last;
}

/** Nothing is left but its row, the rows of its products and their keys, and who did what in the audit log. */
export async function finishRemoval(db: Database, organizationId: string): Promise<void> {
  await db
    .updateTable("organizations")
    .set((row) => ({
      delete_after: null,
      customer_block_count: 0,
      ip_blocks_revision: row("ip_blocks_revision", "+", 1),
    }))
    .where("id", "=", organizationId)
    .execute();
}
