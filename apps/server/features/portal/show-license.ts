import type { licenseSummary, portalLicense } from "@countersign/contract/portal/shapes";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { dayMs } from "@countersign/domain/dates/lengths";
import { countedAs, parseIpAddress } from "@countersign/domain/ip/ip-address";
import { networkOf } from "@countersign/domain/ip/registered";
import { maskedKey } from "@countersign/domain/licenses/key";
import { validateStatuses } from "@countersign/domain/validate/status";
import type { VersionCatalog } from "@countersign/domain/versions/catalog";
import { canUseFrom, newestUsable } from "@countersign/domain/versions/gate";
import { gatesVersions, versionCatalog, versionPin } from "@countersign/store/batches/caller";
import { licenseStatus } from "@countersign/store/batches/license-record";
import { lastMergeAt } from "@countersign/store/queries/audit-log/entries";
import { heldSince } from "@countersign/store/queries/customers/holders";
import { customerCreatedAt } from "@countersign/store/queries/customers/identify";
import { seenDevices } from "@countersign/store/queries/ips/seen-devices";
import { licenseIp, licenseIps, registeredIps } from "@countersign/store/queries/licenses/ips";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import { type PortalLicenseRow, portalLicenses } from "@countersign/store/queries/portal/licenses";
import { downloadsOf, productById } from "@countersign/store/queries/products/products";
import { type LicenseRefusals, licenseRefusals } from "@countersign/store/queries/requests/license-refusals";
import { licensesInTransfer, pendingTransferOf } from "@countersign/store/queries/transfers/transfers";
import { versionsOf } from "@countersign/store/queries/versions/versions";
import type { Database } from "@countersign/store/store";
import type { LicenseRow } from "@countersign/store/tables/licenses";
import type { ProductDownloadRow, ProductRow } from "@countersign/store/tables/products";
import type { z } from "zod";
import type { LicenseContext, ProductContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { type Seller, showSellers } from "../branding/show.ts";
import { planOf } from "../plans/limits.ts";
import { DeviceIds } from "../requests/device-ids.ts";
import { requestsKeptSince } from "../requests/show.ts";
import { showPortalTransfer } from "../transfers/show.ts";
import { showSelfService } from "./self-service.ts";

type PortalLicense = z.input<typeof portalLicense>;

/** Refusals, and device IDs of requests, are shown for this long. */
const recentMs = 14 * dayMs;
const maxIpsShown = 200;
/** A license can have a million IP addresses, of which only so many are read to find the most recent ones. */
const maxIpsRead = 1_000;

/**
 * What is shown with a license and is read outside of transactions: the journal's data, which on SQLite is in another
 * file, and the version list, which takes a while to sort.
 */
interface LicenseSurroundings {
  readonly sightings: ReadonlyMap<string, { first_seen_at: number | null; last_seen_at: number | null }>;
  readonly refusals: readonly LicenseRefusals[];
  readonly devices: DeviceIds;
  /** Null if the product does not check versions. */
  readonly catalog: VersionCatalog | null;
  readonly downloads: readonly ProductDownloadRow[];
}

export async function readSurroundings(
  context: ProductContext & LicenseContext,
): Promise<LicenseSurroundings> {
  const { reads } = context.store;
  const { id, customer_id: customerId } = context.license;
  if (customerId === null) throw new Problem("license_not_found");
  const { product, organization } = context;
  const plan = await planOf(reads, organization);
  const seen = await licenseIps(reads, id, { afterIp: null, limit: maxIpsRead });
  const earliestMs = context.nowMs - recentMs;
  // A new owner sees nothing of the previous one.
  const sinceMs = Math.max(
    earliestMs,
    (await heldSince(reads, [id], customerId)).get(id) ?? 0,
    (await lastMergeAt(reads, customerId, earliestMs)) ?? 0,
    // The seller may have changed the previous customer's email address to that of someone new.
    (await customerCreatedAt(reads, customerId)) ?? 0,
  );
  const fromMs = Math.max(sinceMs, await requestsKeptSince(context, organization));
  const ofLicense = { licenseIds: [id] };
  return {
    devices: new DeviceIds(
      await seenDevices(context.store.listReads, ofLicense, { fromMs, untilMs: Number.MAX_SAFE_INTEGER }),
    ),
    sightings: new Map(seen.map((row) => [row.ip, row])),
    refusals: await licenseRefusals(reads, [{ licenseId: id, sinceMs }]),
    catalog: gatesVersions({ ...organization, ...product, plan_version_module: plan.version_module })
      ? versionCatalog(await versionsOf(reads, product.id))
      : null,
    downloads: await downloadsOf(reads, product.id),
  };
}

/** The license in the path, as `db` has it. */
export async function showPortalLicense(
  db: Database,
  context: LicenseContext,
  around: LicenseSurroundings,
): Promise<PortalLicense> {
  const { nowMs } = context;
  const [row] = await portalLicenses(db, [context.license.id]);
  if (row === undefined) throw new Problem("license_not_found");
  const product = await productById(db, row.product_id);
  const organization = await organizationById(db, row.organization_id);
  const seller = (await showSellers(db, [row.organization_id])).get(row.organization_id);
  if (product === undefined || organization === undefined || seller === undefined)
    throw new Problem("license_not_found");
  const transfer = (await pendingTransferOf(db, row.id)) ?? null;
  const summary = showSummary(row, seller, transfer !== null, nowMs);
  const yourIp = countedIpOf(context.ip, product);
  return {
    ...summary,
    revoked_at: isoTime(row.revoked_at),
    renewal_url: product.renewal_url,
    your_ip: yourIp,
    ips: await showIps(db, row, yourIp, around),
    ...showVersions(row, around, summary.status === "active"),
    refusals: around.refusals.flatMap((refusal) => showRefusal(refusal, around.devices)),
    self_service: await showSelfService(db, { license: row, product, organization, transfer }, nowMs),
    transfer:
      transfer === null
        ? null
        : showPortalTransfer({ ...transfer, product_name: product.name, seller_name: seller.name }),
  };
}

function showRefusal(row: LicenseRefusals, devices: DeviceIds): PortalLicense["refusals"] {
  const status = validateStatuses.find((known) => known === row.status);
  if (status === undefined) return [];
  return [
    {
      status,
      count: Number(row.count),
      first_at: isoTime(row.first_at),
      last_at: isoTime(row.last_at),
      last_ip: row.last_ip,
      last_version: row.last_version,
      device_ids: devices.of({ ip: row.last_ip }),
    },
  ];
}

function countedIpOf(ip: string | null, { ipv6_prefix: prefix }: ProductRow): string | null {
  const address = ip === null ? null : parseIpAddress(ip);
  return address === null ? null : countedAs(address, prefix);
}

async function showIps(
  db: Database,
  { id }: LicenseRow,
  yourIp: string | null,
  { sightings, devices }: LicenseSurroundings,
): Promise<PortalLicense["ips"]> {
  const yourIps = yourIp === null ? [] : [yourIp, networkOf(yourIp)];
  const registered = await registeredIps(db, id, maxIpsRead);
  const yours =
    registered.length < maxIpsRead || yourIp === null ? undefined : await licenseIp(db, id, yourIp);
  if (yours !== undefined && registered.every(({ ip }) => ip !== yours.ip)) registered.unshift(yours);
  return registered
    .map((row) => ({ first_seen_at: null, last_seen_at: null, ...sightings.get(row.ip), ...row }))
    .sort((a, b) => (b.last_seen_at ?? b.registered_at) - (a.last_seen_at ?? a.registered_at))
    .slice(0, maxIpsShown)
    .map(({ ip, registered_at, first_seen_at, last_seen_at }) => ({
      ip,
      registered_at: isoTime(registered_at),
      first_seen_at: isoTime(first_seen_at),
      last_seen_at: isoTime(last_seen_at),
      // While the product counts by /64, a single registered address counts as its /64.
      is_you: yourIps.includes(ip) || (yourIp !== null && networkOf(ip) === yourIp),
      device_ids: devices.of({ ip }),
    }));
}

function showVersions(
  row: LicenseRow,
  { catalog, downloads }: LicenseSurroundings,
  isActive: boolean,
): Pick<PortalLicense, "versions" | "downloads"> {
  const pin = versionPin(row);
  const isShown = ({ min_version: min }: ProductDownloadRow) =>
    min === null || catalog === null || canUseFrom(catalog, pin, min);
  return {
    versions:
      catalog === null
        ? null
        : {
            pinned: row.version_pin_mode === "pinned" ? row.version_pinned : null,
            min: row.version_pin_mode === "range" ? row.version_range_min : null,
            max: row.version_pin_mode === "range" ? row.version_range_max : null,
            newest: newestUsable(catalog, pin),
          },
    downloads: isActive
      ? downloads
          .filter(isShown)
          .map(({ id, title, url, min_version, checksum }) => ({ id, title, url, min_version, checksum }))
      : [],
  };
}

type LicenseSummary = z.input<typeof licenseSummary>;

/** In the order of the IDs, without those that customers cannot see. */
export async function showSummaries(
  db: Database,
  ids: readonly string[],
  nowMs: number,
): Promise<LicenseSummary[]> {
  const rows = await portalLicenses(db, ids);
  const sellers = await showSellers(
    db,
    rows.map((row) => row.organization_id),
  );
  const inTransfer = await licensesInTransfer(db, ids);
  return rows.flatMap((row) => {
    const seller = sellers.get(row.organization_id);
    return seller === undefined ? [] : [showSummary(row, seller, inTransfer.has(row.id), nowMs)];
  });
}

function showSummary(
  row: PortalLicenseRow,
  seller: Seller,
  hasPendingTransfer: boolean,
  nowMs: number,
): LicenseSummary {
  const hasIpSystem = row.ip_system_enabled === 1;
  const endsAtMs = row.is_lifetime === 1 ? null : row.expires_at;
  const waitingTermMs = row.first_used_at === null ? row.term_ms : null;
  return {
    id: row.id,
    seller,
    product: { id: row.product_id, name: row.product_name, status: row.product_status },
    license_key_hint: maskedKey(row.license_key),
    status: licenseStatus(row, nowMs),
    is_lifetime: row.is_lifetime === 1,
    expires_at: isoTime(endsAtMs),
    seconds_left: endsAtMs === null ? null : Math.ceil((endsAtMs - nowMs) / 1_000),
    term_seconds: waitingTermMs === null ? null : Math.round(waitingTermMs / 1_000),
    ip_system_enabled: hasIpSystem,
    max_ips: hasIpSystem ? row.max_ips : null,
    current_unique_ip_count: row.ip_count,
    created_at: isoTime(row.created_at),
    has_pending_transfer: hasPendingTransfer,
  };
}
