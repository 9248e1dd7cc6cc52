import type { updateLicense } from "@countersign/contract/manage/licenses";
import { fieldFault } from "@countersign/contract/problems/problems";
import { type Expiry, lifetime } from "@countersign/domain/licenses/expiry";
import { newId } from "@countersign/store/new-id";
import { customersInBulk, identifierOf } from "@countersign/store/queries/customers/bulk";
import { customerOf, writeCustomerView } from "@countersign/store/queries/customers/views";
import { changeLicense } from "@countersign/store/queries/licenses/changes";
import { refreshSearchText } from "@countersign/store/queries/licenses/search";
import type { LicenseView, ShownLicense } from "@countersign/store/queries/licenses/views";
import type { Database } from "@countersign/store/store";
import type { LicenseRow } from "@countersign/store/tables/licenses";
import type { z } from "zod";
import type { Context, OrganizationContext } from "../../api/context.ts";
import { asColumns } from "../../api/page.ts";
import { expiryOf, FieldErrors, jsonColumns, pinColumns, pinOf, uniqueTags } from "./fields.ts";

type Changes = Omit<z.output<typeof updateLicense.body>, "updated_at">;

/** Applies a PATCH to a license whose row is locked. */
export async function writeChanges(
  db: Database,
  context: OrganizationContext,
  row: LicenseView,
  shown: ShownLicense | undefined,
  body: Changes,
): Promise<readonly LicenseView[]> {
  if (shown === undefined) throw new Error("A locked license does not exist.");
  if (Object.values(body).every((value) => value === undefined)) return [row];
  const errors = new FieldErrors();
  const customer = wantedCustomer(shown, body, errors);
  const columns: Partial<LicenseRow> = {
    ...asColumns({ max_ips: body.max_ips, ip_system_enabled: body.ip_system_enabled, notes: body.notes }),
    ...expiryColumns(row, body, context, errors),
    ...changedPin(row, body, errors),
    ...jsonColumns(body, "", errors),
  };
  errors.throwIfAny();
  if (customer !== null) columns.customer_id = await attach(db, context, row.organization_id, customer, body);
  const tags = body.tags === undefined ? null : uniqueTags(body.tags);
  return changeLicense(db, row, columns, tags, context.nowMs);
}

interface WantedCustomer {
  readonly email: string | null;
  readonly discordId: string | null;
  readonly name: string | null;
}

/** Null if the customer was not specified. Omitted members stay, unless the license now belongs to someone else. */
function wantedCustomer(shown: ShownLicense, body: Changes, errors: FieldErrors): WantedCustomer | null {
  const { customer_email: email, customer_discord_id: discordId, customer_name: name } = body;
  if (email === undefined && discordId === undefined && name === undefined) return null;
  const wanted = {
    email: email === undefined ? shown.customer_email : email,
    discordId: discordId === undefined ? shown.customer_discord_id : discordId,
  };
  if (wanted.email === null && wanted.discordId === null) {
    errors.add("customer_email", fieldFault("customer_missing"));
  }
  if (isSomebodyElse(shown, wanted)) {
    return {
      email: wanted.email,
      discordId: discordId === undefined && wanted.email !== null ? null : wanted.discordId,
      name: name ?? null,
    };
  }
  return { ...wanted, name: name === undefined ? shown.customer_name : name };
}

function isSomebodyElse(shown: ShownLicense, wanted: Omit<WantedCustomer, "name">): boolean {
  const identity = (email: string | null, discordId: string | null) =>
    email?.toLowerCase() ?? `discord ${discordId}`;
  return (
    identity(shown.customer_email, shown.customer_discord_id) !== identity(wanted.email, wanted.discordId)
  );
}

/** Setting a customer's name on a license removes nothing else that is known about them; an explicit null does. */
async function attach(
  db: Database,
  context: Context,
  organizationId: string,
  wanted: WantedCustomer,
  body: Changes,
): Promise<string> {
  const { nowMs, store } = context;
  const known = await customersInBulk(db, organizationId, [wanted], { bulk: store.bulk, newId, nowMs });
  const customer = known.get(identifierOf(wanted));
  if (customer === undefined) throw new Error("One customer was passed and none returned.");
  const view = await customerOf(db, organizationId, customer.id);
  if (view === undefined) throw new Error("The customer that was just written does not exist.");
  const left = {
    ...view,
    name: body.customer_name === null ? null : view.name,
    discord_id: body.customer_discord_id === null && wanted.email !== null ? null : view.discord_id,
  };
  if (left.name !== view.name || left.discord_id !== view.discord_id) {
    await writeCustomerView(db, left);
    await refreshSearchText(db, organizationId, customer.id);
  }
  return customer.id;
}

function expiryColumns(
  row: LicenseRow,
  body: Changes,
  context: OrganizationContext,
  errors: FieldErrors,
): Partial<LicenseRow> {
  const answer = expiryOf(body, row.first_used_at, context.nowMs, context.organization.time_zone);
  if (!answer.ok) {
    errors.add(answer.field, answer.fault);
    return {};
  }
  if (answer.expiry !== null) return columnsOf(answer.expiry);
  const runsOut = row.expires_at !== null || row.term_ms !== null;
  if (body.is_lifetime === false && !runsOut) {
    errors.add("expires_at", fieldFault("expiry_missing"));
  }
  if (body.term_seconds === null && row.term_ms !== null) {
    return row.expires_at === null ? columnsOf(lifetime) : { term_ms: null };
  }
  return {};
}

function columnsOf({ isLifetime, expiresAtMs, termMs }: Expiry): Partial<LicenseRow> {
  return { is_lifetime: isLifetime ? 1 : 0, expires_at: expiresAtMs, term_ms: termMs };
}

function changedPin(row: LicenseRow, body: Changes, errors: FieldErrors): Partial<LicenseRow> {
  const wasGiven =
    body.version_pin_mode !== undefined ||
    body.version_pinned !== undefined ||
    body.version_range_min !== undefined ||
    body.version_range_max !== undefined;
  if (!wasGiven) return {};
  const before = {
    mode: row.version_pin_mode,
    pinned: row.version_pinned,
    min: row.version_range_min,
    max: row.version_range_max,
  };
  const answer = pinOf(before, body);
  if (answer.ok) return pinColumns(answer.pin);
  errors.add(answer.field, answer.fault);
  return {};
}
