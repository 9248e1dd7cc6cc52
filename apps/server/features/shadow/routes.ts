import * as contract from "@countersign/contract/manage/shadow";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { dayMs } from "@countersign/domain/dates/lengths";
import { maskedKey } from "@countersign/domain/licenses/key";
import {
  ineffective,
  type RefusedUse,
  type Replay,
  replay,
  type ShadowChange,
  versionsWith,
} from "@countersign/domain/shadow/replay";
import { versionPin } from "@countersign/store/batches/caller";
import { customersByIds } from "@countersign/store/queries/customers/views";
import { productState, versionRecords } from "@countersign/store/queries/explain/request-facts";
import { seenDevices } from "@countersign/store/queries/ips/seen-devices";
import type { TimeRange } from "@countersign/store/queries/requests/span";
import {
  type LicenseUse,
  type PastUses,
  pastUses,
  registrationTimes,
  shadowedLicenses,
  shadowedTogether,
  slotsBefore,
} from "@countersign/store/queries/shadow/past-uses";

import type { Database, Store } from "@countersign/store/store";
import type { LicenseRow } from "@countersign/store/tables/licenses";
import { ConcurrencyLimit } from "@countersign/store/threads/concurrency-limit";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { type BoundRoute, bind, type MemberContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { DeviceIds } from "../requests/device-ids.ts";
import { requestsKeptSince } from "../requests/show.ts";

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
      since: isoTime(past.sinceMs),
      until: isoTime(range.untilMs),
      oldest_at: isoTime(oldestAtMs(past)),
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

function oldestAtMs({ uses }: PastUses): number | null {
  return uses.reduce<number | null>(
    (oldest, { firstAtMs }) => (oldest === null ? firstAtMs : Math.min(oldest, firstAtMs)),
    null,
  );
}

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
      last_at: isoTime(last.lastAtMs),
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
    case "expired":
    case "product_disabled":
      return status;
    default:
      throw new Error(`A change cannot cause ${status}.`);
  }
}

interface ReplayedProduct {
  readonly past: PastUses;
  readonly requests: number;
  readonly licenses: number;
  readonly ineffective: ReturnType<typeof ineffective>;
  /** The licenses with the most refused requests first. */
  readonly refused: readonly RefusedLicense[];
}

interface RefusedLicense {
  readonly license: Pick<LicenseRow, "id" | "license_key" | "customer_id">;
  readonly requests: number;
  /** The one with the newest request. */
  readonly last: RefusedUse;
  readonly ipCount: number;
}

/** Reading the log takes seconds: one replay at a time on each server. */
const oneAtATime = new ConcurrencyLimit(1);

/** Tries a change against the requests of a product. Null if it has been deleted. */
async function replayProduct(
  store: Pick<Store, "reads" | "listReads" | "sealer">,
  product: { readonly organizationId: string; readonly productId: string },
  change: ShadowChange,
  range: { readonly fromMs: number; readonly untilMs: number },
): Promise<ReplayedProduct | null> {
  const state = await productState(store.reads, store.sealer, product.productId);
  if (state === null) return null;
  const changedVersions = versionsWith(change, await versionRecords(store.reads, product.productId));
  return oneAtATime.run(async () => {
    const past = await pastUses(store.listReads, product, range);
    const toReplay = { change, product: state.facts, changedVersions, sinceMs: past.sinceMs };
    const byLicense = Map.groupBy(past.uses, ({ licenseId }) => licenseId);
    const why = ineffective(change, state.facts);
    return {
      past,
      requests: past.uses.reduce((sum, { requests }) => sum + requests, 0),
      licenses: byLicense.size,
      ineffective: why,
      refused: why === null ? await refusedLicenses(store.reads, toReplay, byLicense) : [],
    };
  });
}

type Uses = readonly LicenseUse[];

async function refusedLicenses(
  db: Database,
  toReplay: Replay,
  byLicense: ReadonlyMap<string, Uses>,
): Promise<RefusedLicense[]> {
  const refused: RefusedLicense[] = [];
  const ids = [...byLicense.keys()];
  for (let start = 0; start < ids.length; start += shadowedTogether) {
    const batch = ids.slice(start, start + shadowedTogether);
    refused.push(...(await refusedAmong(db, toReplay, batch, byLicense)));
    await yieldToEventLoop();
  }
  return refused.sort((a, b) => b.requests - a.requests || b.last.lastAtMs - a.last.lastAtMs);
}

async function refusedAmong(
  db: Database,
  toReplay: Replay,
  ids: readonly string[],
  byLicense: ReadonlyMap<string, Uses>,
): Promise<RefusedLicense[]> {
  const licenses = await shadowedLicenses(db, ids);
  const concernsIps = ["max_ips", "registration", "track_ips"].includes(toReplay.change.type);
  const slots = concernsIps ? await slotsBefore(db, ids, toReplay.sinceMs) : null;
  const registered = concernsIps ? await registeredAmong(db, ids, byLicense) : null;
  return licenses.flatMap((license) => {
    const uses = replay(toReplay, {
      maxIps: license.ip_system_enabled === 1 ? license.max_ips : null,
      expiresAtMs: license.expires_at,
      pin: versionPin(license),
      slotsBefore: slots?.get(license.id) ?? 0,
      registeredAtMs: registered?.get(license.id) ?? new Map(),
      uses: byLicense.get(license.id) ?? [],
    });
    const [first, ...rest] = uses;
    if (first === undefined) return [];
    return {
      license,
      requests: uses.reduce((sum, { requests }) => sum + requests, 0),
      last: rest.reduce((last, use) => (use.lastAtMs > last.lastAtMs ? use : last), first),
      ipCount: new Set(uses.map(({ ip }) => ip)).size,
    };
  });
}

/** A license can have been used from many IP addresses, so they are looked up in batches of their own. */
async function registeredAmong(db: Database, ids: readonly string[], byLicense: ReadonlyMap<string, Uses>) {
  const used = ids.flatMap((licenseId) => {
    const ips = new Set(byLicense.get(licenseId)?.map(({ ip }) => ip));
    return [...ips].map((ip) => ({ licenseId, ip }));
  });
  const timesByLicense = new Map<string, Map<string, number>>();
  for (let start = 0; start < used.length; start += shadowedTogether) {
    const times = await registrationTimes(db, used.slice(start, start + shadowedTogether));
    for (const [licenseId, ofLicense] of times)
      timesByLicense.set(licenseId, new Map([...(timesByLicense.get(licenseId) ?? []), ...ofLicense]));
    await yieldToEventLoop();
  }
  return timesByLicense;
}
