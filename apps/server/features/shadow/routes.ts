import * as contract from "@countersign/contract/manage/shadow";
import { dayMs } from "@countersign/domain/dates/lengths";
import { maskedKey } from "@countersign/domain/licenses/key";
import type { RefusedUse } from "@countersign/domain/shadow/replay";
import { customersByIds } from "@countersign/store/queries/customers/views";
import { seenDevices } from "@countersign/store/queries/ips/seen-devices";
import type { TimeRange } from "@countersign/store/queries/requests/span";
import { type BoundRoute, bind } from "../../api/bind.ts";
import type { MemberContext } from "../../api/context.ts";
import { iso } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { DeviceIds } from "../requests/device-ids.ts";
import { requestsKeptSince } from "../requests/kept-since.ts";
import { type RefusedLicense, replayProduct } from "./replay-product.ts";

export const shadowRoutes: readonly BoundRoute[] = [
  bind(contract.shadowProduct, async (context, { body }) => {
    const { store, nowMs } = context;
    const { id: productId, organization_id: organizationId } = context.product;
    const keptSinceMs = await requestsKeptSince(context, context.organization);
    const range = { fromMs: Math.max(nowMs - body.days * dayMs, keptSinceMs), untilMs: nowMs };
    const result = await replayProduct(store, { organizationId, productId }, body.change, range);
    if (result === null) throw new Problem("product_not_found");
    const { past, refused } = result;
    const customers = new Set(refused.flatMap(({ license }) => license.customer_id ?? []));
    return {
      since: iso(past.sinceMs),
      until: iso(range.untilMs),
      complete: past.isComplete,
      requests: result.requests,
      licenses: result.licenses,
      ineffective: result.ineffective,
      refused: {
        requests: refused.reduce((sum, { requests }) => sum + requests, 0),
        licenses: refused.length,
        customers: customers.size,
      },
      data: await showRefused(context, refused.slice(0, contract.maxShadowLicenses), range),
      more: refused.length > contract.maxShadowLicenses,
    };
  }),
];

/** Who the customers are takes the permission to view licenses. */
async function showRefused(context: MemberContext, refused: readonly RefusedLicense[], range: TimeRange) {
  const showsLicenses = context.organizationAccess.permissions.has("licenses:view");
  const ids = new Set(showsLicenses ? refused.flatMap(({ license }) => license.customer_id ?? []) : []);
  const customers = await customersByIds(context.store.reads, context.organization.id, [...ids]);
  const licenseIds = refused.map(({ license }) => license.id);
  const devices = new DeviceIds(await seenDevices(context.store.listReads, { licenseIds }, range));
  return refused.map(({ license, requests, last, ipCount }) => {
    const customer = customers.get(license.customer_id ?? "");
    return {
      license_id: license.id,
      license_key: showsLicenses ? maskedKey(license.license_key) : null,
      global_customer_id: license.customer_id,
      customer_email: customer?.email ?? null,
      customer_name: customer?.name ?? null,
      status: statusOf(last),
      requests,
      last_at: iso(last.lastAtMs),
      ip: last.ip,
      version: last.version,
      device_ids: devices.of({ licenseId: license.id, ip: last.ip }),
      ip_count: ipCount,
    };
  });
}

/** The rules that a change can concern. */
function statusOf({ status }: RefusedUse) {
  switch (status) {
    case "ip_blocked":
    case "ip_not_registered":
    case "ip_limit_reached":
    case "version_not_allowed":
      return status;
    default:
      throw new Error(`A change cannot cause ${status}.`);
  }
}
