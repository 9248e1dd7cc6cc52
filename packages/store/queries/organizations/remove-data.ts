import type { Database } from "../../store.ts";
import { finishErasure, removeErasedLicenses } from "../customer-erasure/erasures.ts";
import { removeUnknownCustomers } from "../customers/identify.ts";
import { removeSomeRejects } from "../license-files/rejects.ts";
import { removeWaitingEmails, waitingEmails } from "../mail/waiting-emails.ts";
import { removeUnknownIdentities } from "../portal/people.ts";
import { emptyEndpoint } from "../webhooks/prune.ts";
import { lockedOrganization } from "./organizations.ts";

/** Removes some of its remaining data; returns whether there was any. Several nodes take turns. */
export async function removeSome(db: Database, organizationId: string, atMost: number): Promise<boolean> {
  await lockedOrganization(db, organizationId);
  for (const remove of removals) {
    if (await remove(db, organizationId, atMost)) return true;
  }
  return false;
}

type Removal = (db: Database, organizationId: string, atMost: number) => Promise<boolean>;

/** Files first: their imports stop, and add nothing to what is removed afterwards. */
const removals: readonly Removal[] = [
  removeImports,
  removeEmails,
  removeEndpoints,
  removalOf("events"),
  removalOf("transfers"),
  removeLicenses,
  removeFormerHolders,
  removalOf("ip_blocks"),
  removeErasures,
  removeCustomers,
  removalByProduct("daily_usage"),
  removalByProduct("product_versions"),
  removalByProduct("product_downloads"),
];

/** The rows of a table of which each names its organization. */
function removalOf(table: "events" | "transfers" | "ip_blocks"): Removal {
  return async (db, organizationId, atMost) => {
    const rows = await db
      .selectFrom(table)
      .select("id")
      .where("organization_id", "=", organizationId)
      .limit(atMost)
      .execute();
    if (rows.length === 0) return false;
    const ids = rows.map(({ id }) => id);
    await db.deleteFrom(table).where("id", "in", ids).execute();
    return true;
  };
}

/** The rows of a table of which each names its product: those of one product at a time. */
function removalByProduct(table: "daily_usage" | "product_versions" | "product_downloads"): Removal {
  return async (db, organizationId) => {
    const row = await db
      .selectFrom(table)
      .innerJoin("products", "products.id", `${table}.product_id`)
      .select("product_id")
      .where("products.organization_id", "=", organizationId)
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) return false;
    await db.deleteFrom(table).where("product_id", "=", row.product_id).execute();
    return true;
  };
}

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
    const ipsOfFirst = ips.filter((row) => row.license_id === first?.license_id).map((row) => row.ip);
    await db
      .deleteFrom("license_ips")
      .where("license_id", "=", first?.license_id ?? "")
      .where("ip", "in", ipsOfFirst)
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

async function removeFormerHolders(db: Database, organizationId: string, atMost: number): Promise<boolean> {
  const rows = await db
    .selectFrom("former_holders")
    .select("license_id")
    .where("organization_id", "=", organizationId)
    .limit(atMost)
    .execute();
  if (rows.length === 0) return false;
  const ids = rows.map((row) => row.license_id);
  await db.deleteFrom("former_holders").where("license_id", "in", ids).execute();
  return true;
}

/** Of customers that were being erased when the organization was deleted. */
async function removeErasures(db: Database, organizationId: string, atMost: number): Promise<boolean> {
  const erasure = await db
    .selectFrom("customer_erasures")
    .select("customer_id")
    .where("organization_id", "=", organizationId)
    .limit(1)
    .executeTakeFirst();
  if (erasure === undefined) return false;
  if (!(await removeErasedLicenses(db, erasure.customer_id, atMost)))
    await finishErasure(db, erasure.customer_id);
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
