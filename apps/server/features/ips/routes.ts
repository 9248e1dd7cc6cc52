import * as contract from "@countersign/contract/manage/ips";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { isExpired } from "@countersign/domain/validate/decide";
import { customersByIds } from "@countersign/store/queries/customers/views";
import { ipBlocksOfCidrs } from "@countersign/store/queries/ip-blocks/blocks";
import {
  licenseSightings,
  licensesOfIps,
  registrationsAt,
  type SightingScope,
  sightingsOf,
} from "@countersign/store/queries/ips/sightings";
import type { IpSightingRow } from "@countersign/store/tables/journal";
import type { LicenseRow } from "@countersign/store/tables/licenses";
import { type BoundRoute, bind, type MemberContext, type OrganizationContext } from "../../api/context.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { showIpBlock } from "../ip-blocks/blocks.ts";
import { deviceIds } from "../requests/device-ids.ts";
import { blockedAmong, isInForce, networksThatCover } from "./blocked.ts";
import { askedIp, ipPage, showSighting } from "./list.ts";

export const ipRoutes: readonly BoundRoute[] = [
  bind(contract.listIps, async (context, { query }) => {
    const { rows, next_cursor } = await ipPage(context.store.listReads, scopeOf(context), query);
    return { data: await listed(context, rows), next_cursor };
  }),

  bind(contract.getIp, async (context, input) => {
    const queriedIp = askedIp(input.params.ip);
    const { id } = context.organization;
    const db = context.store.reads;
    const sightings = await sightingsOf(db, scopeOf(context), queriedIp.countedAs);
    const covering = await ipBlocksOfCidrs(db, id, networksThatCover(queriedIp));
    const inForce = covering.filter((block) => isInForce(block, context.nowMs));
    const devices = await deviceIds(context, { ips: queriedIp.countedAs });
    return {
      ip: queriedIp.text,
      sightings: sightings.map(showSighting),
      blocks: inForce
        .filter((block) => block.tier !== "platform")
        .map((block) => ({
          ...showIpBlock(block),
          customer_id: block.tier === "customer" ? block.scope_id : null,
          license_id: block.tier === "license" ? block.scope_id : null,
        })),
      blocked_by_platform: inForce.some((block) => block.tier === "platform"),
      device_ids: devices?.of({}) ?? null,
    };
  }),

  bind(contract.listIpLicenses, async (context, input) => {
    const { query } = input;
    const { countedAs: ips } = askedIp(input.params.ip);
    const db = context.store.reads;
    const after = decodeCursor(query.cursor, ["text"]);
    const rows = await licensesOfIps(db, context.organization.id, ips, {
      afterId: after === null ? "" : String(after[0]),
      limit: query.limit + 1,
    });
    const ids = rows.map((row) => row.id);
    const registrations = await registrationsAt(db, ids, ips);
    const seen = await licenseSightings(db, ids, ips);
    const customerIds = new Set(rows.flatMap((row) => row.customer_id ?? []));
    const customers = await customersByIds(db, context.organization.id, [...customerIds]);
    const devices = await deviceIds(context, { ips });
    return pageOf(
      rows,
      query.limit,
      (row) => [row.id],
      (row) => ({
        license_id: row.id,
        license_key: row.license_key,
        product_id: row.product_id,
        global_customer_id: row.customer_id,
        customer_email: customers.get(row.customer_id ?? "")?.email ?? null,
        customer_name: customers.get(row.customer_id ?? "")?.name ?? null,
        status: statusOf(row, context.nowMs),
        registered_at: isoTime(registrations.get(row.id) ?? null),
        first_seen_at: isoTime(seen.get(row.id)?.first_seen_at ?? null),
        last_seen_at: isoTime(seen.get(row.id)?.last_seen_at ?? null),
        hits: seen.get(row.id)?.hits ?? 0,
        device_ids: devices?.of({ licenseId: row.id }) ?? null,
      }),
    );
  }),
];

function scopeOf(context: OrganizationContext): SightingScope {
  return { tier: "organization", organizationId: context.organization.id };
}

function statusOf(row: LicenseRow, nowMs: number): "active" | "revoked" | "expired" {
  if (row.revoked_at !== null) return "revoked";
  return isExpired(row.is_lifetime === 1 ? null : row.expires_at, nowMs) ? "expired" : "active";
}

async function listed(context: MemberContext, rows: readonly IpSightingRow[]) {
  const { id: organizationId } = context.organization;
  const ips = rows.map(({ ip }) => ip);
  const blocked = await blockedAmong(context.store.reads, ips, { organizationId }, context.nowMs);
  const devices = await deviceIds(context, { ips });
  return rows.map((row) => ({
    ...showSighting(row),
    blocked: blocked.has(row.ip),
    device_ids: devices?.of({ ip: row.ip }) ?? null,
  }));
}
