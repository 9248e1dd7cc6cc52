import * as contract from "@countersign/contract/manage/license-actions";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { parseCidr } from "@countersign/domain/ip/cidr";
import { countedAs, parseIpAddress } from "@countersign/domain/ip/ip-address";
import { maskedKey } from "@countersign/domain/licenses/key";
import { registerIp } from "@countersign/store/queries/licenses/create";
import { licenseIp, licenseIps, sighting, unregisterIp } from "@countersign/store/queries/licenses/ips";
import { shownLicense } from "@countersign/store/queries/licenses/views";
import { productById } from "@countersign/store/queries/products/products";
import type { Database } from "@countersign/store/store";
import type { LicenseRow } from "@countersign/store/tables/licenses";
import { type BoundRoute, bind, type Context, type LicenseContext } from "../../api/context.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { invalid, Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { licenseEvent, recordEvents } from "../events/record.ts";
import { blockedAmong } from "../ips/blocked.ts";
import { deviceIds } from "../requests/device-ids.ts";
import { current } from "./change.ts";

export const ipRoutes: readonly BoundRoute[] = [
  bind(contract.listLicenseIps, async (context, { query }) => {
    const after = decodeCursor(query.cursor, ["text"]);
    const rows = await licenseIps(context.store.reads, context.license.id, {
      afterIp: after === null ? null : String(after[0]),
      limit: query.limit + 1,
    });
    const { id: licenseId, organization_id: organizationId, customer_id: customerId } = context.license;
    const blocked = await blockedAmong(
      context.store.reads,
      rows.map(({ ip }) => ip),
      { organizationId, customerId, licenseId },
      context.nowMs,
    );
    const devices = await deviceIds(context, { licenseIds: [licenseId] });
    return pageOf(
      rows,
      query.limit,
      (row) => [row.ip],
      (row) => ({
        ...showIp(row),
        blocked: blocked.has(row.ip),
        device_ids: devices?.of({ ip: row.ip }) ?? null,
      }),
    );
  }),

  bind(contract.addLicenseIp, async (context, { body }) => {
    const { license } = context;
    const ip = await countedIp(context, body.ip);
    if (ip === null) throw invalid("ip", "not_an_ip");
    const seen = await sighting(context.store.reads, license.id, ip);
    return context.transaction(async (db) => {
      const row = await current(db, context);
      if ((await licenseIp(db, row.id, ip)) === undefined) {
        if (!(await registerIp(db, row.id, ip, context.nowMs))) throw noFreeSlot(row);
        await audit(db, context, {
          action: "license.ip_registered",
          subject: { kind: "license", id: row.id, name: maskedKey(row.license_key) },
          after: { ip },
        });
        const license = await shownLicense(db, row.id, context.nowMs);
        await recordEvents(db, context.nowMs, licenseEvent("license.ip_registered", license, { ip }));
      }
      const registered = await licenseIp(db, row.id, ip);
      return showIp({
        ip: registered?.ip ?? ip,
        registered_at: registered?.registered_at ?? context.nowMs,
        first_seen_at: null,
        last_seen_at: null,
        hits: null,
        ...seen,
      });
    });
  }),

  bind(contract.removeLicenseIp, async (context, input) => {
    const text = input.params.ip;
    const ip = (await countedIp(context, text)) ?? text;
    await context.transaction(async (db) => removeIp(db, context, await current(db, context), ip, text));
  }),
];

/** Removes an IP address from a locked license. `text` is how the caller wrote it, `ip` how validations count it. */
export async function removeIp(
  db: Database,
  context: Context,
  row: LicenseRow,
  ip: string,
  text: string,
): Promise<void> {
  let removed = (await unregisterIp(db, row.id, ip, context.nowMs)) ? ip : null;
  // Registered when the product counted differently, so it is identified by its own text.
  if (removed === null && (await unregisterIp(db, row.id, text, context.nowMs))) removed = text;
  if (removed === null) throw new Problem("ip_not_registered");
  await audit(db, context, {
    action: "license.ip_removed",
    subject: { kind: "license", id: row.id, name: maskedKey(row.license_key) },
    before: { ip: removed },
  });
  const license = await shownLicense(db, row.id, context.nowMs);
  await recordEvents(db, context.nowMs, licenseEvent("license.ip_removed", license, { ip: removed }));
}

/** The IP address as validations count it, by the product's setting; null if it is not one. */
export async function countedIp(context: LicenseContext, text: string): Promise<string | null> {
  const product = await productById(context.store.reads, context.license.product_id);
  if (product === undefined) throw new Problem("license_not_found");
  const address = parseIpAddress(text.trim());
  if (address !== null) return countedAs(address, product.ipv6_prefix);
  // A network that counts as one caller can be specified as it is listed.
  const cidr = parseCidr(text.trim());
  if (cidr?.family !== 6 || cidr.prefixLength !== product.ipv6_prefix) return null;
  const first = parseIpAddress(text.trim().split("/")[0] ?? "");
  return first === null ? null : countedAs(first, product.ipv6_prefix);
}

function noFreeSlot(row: LicenseRow): Problem {
  return new Problem("ip_limit_reached", { count: row.max_ips }, { field: "ip" });
}

function showIp(row: {
  ip: string;
  registered_at: number;
  first_seen_at: number | null;
  last_seen_at: number | null;
  hits: number | null;
}) {
  return {
    ip: row.ip,
    registered_at: isoTime(row.registered_at),
    first_seen_at: isoTime(row.first_seen_at),
    last_seen_at: isoTime(row.last_seen_at),
    hits: row.hits ?? 0,
  };
}
