import { previewCustomResponse } from "@countersign/contract/manage/products";
import {
  type JsonObject,
  type PlaceholderValues,
  parseCustomResponse,
  renderCustom,
} from "@countersign/domain/custom-response/template";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { dayMs } from "@countersign/domain/dates/lengths";
import { customerOf } from "@countersign/store/queries/customers/views";
import { licenseById } from "@countersign/store/queries/licenses/views";
import type { Database } from "@countersign/store/store";
import type { LicenseRow } from "@countersign/store/tables/licenses";
import { type BoundRoute, bind, type MemberContext, type ProductContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";

export const customResponseRoutes: readonly BoundRoute[] = [
  bind(previewCustomResponse, async (context, { body }) => {
    const license = body.license_id === undefined ? null : await licenseToShow(context, body.license_id);
    const { product } = context;
    const template = chosen(body.template, product.custom_response);
    const override = chosen(body.override, license?.custom_override ?? null);
    const values = {
      ...examples(context),
      ...(license === null ? {} : await valuesOf(context.store.reads, license)),
      ...body.sample,
    };
    return { custom: renderCustom(template, override, values) };
  }),
];

/** A preview shows a customer's email address, so it requires the permission to view the license. */
async function licenseToShow(
  context: MemberContext & ProductContext,
  licenseId: string,
): Promise<LicenseRow> {
  if (!context.organizationAccess.permissions.has("licenses:view"))
    throw new Problem("permission_missing", { permission: "licenses:view" });
  const license = await licenseById(context.store.reads, licenseId);
  if (license?.product_id !== context.product.id) throw new Problem("license_not_found");
  return license;
}

function chosen(sent: object | null | undefined, kept: string | null): JsonObject | null {
  if (sent === null) return null;
  if (sent === undefined) return kept === null ? null : (JSON.parse(kept) as JsonObject);
  const parsed = parseCustomResponse(sent);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.template;
}

async function valuesOf(db: Database, license: LicenseRow): Promise<Partial<PlaceholderValues>> {
  const customer =
    license.customer_id === null
      ? undefined
      : await customerOf(db, license.organization_id, license.customer_id);
  const hasIpSystem = license.ip_system_enabled === 1;
  return {
    "customer.email": customer?.email ?? null,
    "customer.name": customer?.name ?? null,
    "customer.discord_id": customer?.discord_id ?? null,
    "license.id": license.id,
    "license.key": license.license_key,
    "license.expires_at": license.is_lifetime === 1 ? null : isoTime(license.expires_at),
    "license.max_ips": hasIpSystem ? license.max_ips : null,
    "license.ip_count": hasIpSystem ? license.ip_count : null,
  };
}

function examples(context: ProductContext): PlaceholderValues {
  const { id, name } = context.product;
  const { organization } = context;
  return {
    "customer.email": "ada@example.com",
    "customer.name": "Ada Lovelace",
    "customer.discord_id": "123456789012345678",
    "license.id": "00000000-0000-7000-8000-000000000000",
    "license.key": "ABCD-EFGH-JKMN-PQRS",
    "license.expires_at": isoTime(context.nowMs + 365 * dayMs),
    "license.max_ips": 3,
    "license.ip_count": 1,
    "product.id": id,
    "product.name": name,
    "organization.id": organization.id,
    "organization.name": organization.name,
    "request.version": "1.0.0",
    "request.ip": "203.0.113.7",
    "request.device_id": "example-device",
    "request.time": isoTime(context.nowMs),
  };
}
