import { organizationById } from "@countersign/store/queries/organizations/organizations";
import { portalLicenseReference } from "@countersign/store/queries/portal/licenses";
import {
  lockedPortalPerson,
  portalIdentitiesOf,
  portalSessionById,
} from "@countersign/store/queries/portal/people";
import { productById } from "@countersign/store/queries/products/products";
import { transferById } from "@countersign/store/queries/transfers/transfers";
import type { Database, Store } from "@countersign/store/store";
import type { TransferRow } from "@countersign/store/tables/portal";
import { Problem } from "../http/problem.ts";
import { type Actor, type CustomerActor, type CustomerReference, noSubject, type Subject } from "./actor.ts";

/**
 * The license or transfer in the path, if it is the customer's. A license is theirs if they have proven the identifier
 * of its customer: whatever else an organization has recorded about the customer does not count.
 */
export async function authorizeCustomer(
  params: Readonly<Record<string, string>>,
  actor: Actor | null,
  store: Store,
): Promise<Subject> {
  if (actor?.kind !== "customer") throw new Problem("sign_in_required");
  const { license_id: licenseId, transfer_id: transferId } = params;
  if (licenseId !== undefined) return licenseSubject(licenseId, actor, store);
  if (transferId !== undefined) return transferSubject(transferId, actor, store);
  return noSubject;
}

async function licenseSubject(licenseId: string, actor: CustomerActor, store: Store): Promise<Subject> {
  const db = store.reads;
  const license = await portalLicenseReference(db, licenseId);
  if (license === undefined || !isTheirs(license, actor)) throw new Problem("not_found");
  const [organization, product] = [
    await organizationById(db, license.organization_id),
    await productById(db, license.product_id),
  ];
  if (organization === undefined || product === undefined) throw new Problem("not_found");
  return { ...noSubject, organization, product, license, customer: customerIn(license) };
}

/** The customer of a license as its organization knows them. */
export function customerIn(license: OwnedLicense & { readonly customer_id: string }): CustomerReference {
  const { customer_name: name, identity_email: email, identity_discord_id: discordId } = license;
  return { id: license.customer_id, name: name ?? email ?? discordId ?? "" };
}

/**
 * The account that requested it sees it, also when the license is no longer theirs. While it waits, so does the customer who has
 * the license: someone else may have requested it with an account that had the customer's email address before.
 */
async function transferSubject(transferId: string, actor: CustomerActor, store: Store): Promise<Subject> {
  const db = store.reads;
  const transfer = await transferById(db, transferId);
  if (transfer === undefined) throw new Problem("not_found");
  if (transfer.requested_by !== actor.personId && !(await canCancel(transfer, actor, store)))
    throw new Problem("not_found");
  const organization = await organizationById(db, transfer.organization_id);
  if (organization === undefined || organization.deleted_at !== null) throw new Problem("not_found");
  const { from_customer_id: id, from_name: name, from_email: email, from_discord_id: discordId } = transfer;
  return { ...noSubject, organization, transfer, customer: { id, name: name ?? email ?? discordId ?? "" } };
}

async function canCancel(transfer: TransferRow, actor: CustomerActor, store: Store): Promise<boolean> {
  if (transfer.state !== "pending") return false;
  const license = await portalLicenseReference(store.reads, transfer.license_id);
  return license !== undefined && isTheirs(license, actor);
}

interface OwnedLicense {
  readonly identity_email: string | null;
  readonly identity_discord_id: string | null;
  readonly customer_name: string | null;
}

function isTheirs(
  license: Pick<OwnedLicense, "identity_email" | "identity_discord_id">,
  { emails, discordIds }: Pick<CustomerActor, "emails" | "discordIds">,
): boolean {
  const { identity_email: email, identity_discord_id: discordId } = license;
  return (email !== null && emails.includes(email)) || (discordId !== null && discordIds.includes(discordId));
}

/**
 * The same in a transaction: since the request was authorized, the person may have lost the identity. In a transaction
 * that has locked the person, it stays theirs until the end.
 */
export async function isTheirsNow(
  db: Database,
  license: Parameters<typeof isTheirs>[0],
  personId: string,
): Promise<boolean> {
  const identities = await portalIdentitiesOf(db, personId);
  const valuesOf = (kind: "email" | "discord") =>
    identities.filter((identity) => identity.kind === kind).map(({ value }) => value);
  return isTheirs(license, { emails: valuesOf("email"), discordIds: valuesOf("discord") });
}

/** Locks the person and checks again: the session may have ended since the request arrived. */
export async function requireSession(db: Database, personId: string, sessionId: string) {
  const person = await lockedPortalPerson(db, personId);
  const session = await portalSessionById(db, sessionId);
  if (person === undefined || session === undefined) throw new Problem("sign_in_required");
  return session;
}
