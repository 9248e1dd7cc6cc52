import {
  ineffective,
  type RefusedUse,
  type Replay,
  replay,
  type ShadowChange,
  withBlocked,
} from "@countersign/domain/shadow/replay";
import { productState, versionRecords } from "@countersign/store/queries/explain/request-facts";
import { type LicenseUse, type PastUses, pastUses } from "@countersign/store/queries/shadow/past-uses";
import {
  registrationTimes,
  shadowedLicenses,
  shadowedTogether,
  slotsBefore,
} from "@countersign/store/queries/shadow/registrations";
import type { Database, Store } from "@countersign/store/store";
import type { LicenseRow } from "@countersign/store/tables/licenses";
import { ConcurrencyLimit } from "@countersign/store/threads/concurrency-limit";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";

interface ReplayedProduct {
  readonly past: PastUses;
  readonly requests: number;
  readonly licenses: number;
  readonly ineffective: ReturnType<typeof ineffective>;
  /** The licenses with the most refused requests first. */
  readonly refused: readonly RefusedLicense[];
}

export interface RefusedLicense {
  readonly license: Pick<LicenseRow, "id" | "license_key" | "customer_id">;
  readonly requests: number;
  /** The one with the newest request. */
  readonly last: RefusedUse;
  readonly ipCount: number;
}

/** Reading the log takes seconds: one replay at a time on each server. */
const oneAtATime = new ConcurrencyLimit(1);

/** Tries a change against the requests of a product. Null if it has been deleted. */
export async function replayProduct(
  store: Pick<Store, "reads" | "listReads" | "sealer">,
  product: { readonly organizationId: string; readonly productId: string },
  change: ShadowChange,
  range: { readonly fromMs: number; readonly untilMs: number },
): Promise<ReplayedProduct | null> {
  const state = await productState(store.reads, store.sealer, product.productId);
  if (state === null) return null;
  const changedVersions =
    change.type === "block_version"
      ? withBlocked(await versionRecords(store.reads, product.productId), change.version)
      : null;
  return oneAtATime.run(async () => {
    const past = await pastUses(store.listReads, product, range);
    const asked = { change, product: state.facts, changedVersions, sinceMs: past.sinceMs };
    const byLicense = Map.groupBy(past.uses, ({ licenseId }) => licenseId);
    const why = ineffective(change, state.facts);
    return {
      past,
      requests: past.uses.reduce((sum, { requests }) => sum + requests, 0),
      licenses: byLicense.size,
      ineffective: why,
      refused: why === null ? await refusedLicenses(store.reads, asked, byLicense) : [],
    };
  });
}

type Uses = readonly LicenseUse[];

async function refusedLicenses(
  db: Database,
  asked: Replay,
  byLicense: ReadonlyMap<string, Uses>,
): Promise<RefusedLicense[]> {
  const refused: RefusedLicense[] = [];
  const ids = [...byLicense.keys()];
  for (let start = 0; start < ids.length; start += shadowedTogether) {
    const batch = ids.slice(start, start + shadowedTogether);
    refused.push(...(await refusedAmong(db, asked, batch, byLicense)));
    await yieldToEventLoop();
  }
  return refused.sort((a, b) => b.requests - a.requests || b.last.lastAtMs - a.last.lastAtMs);
}

async function refusedAmong(
  db: Database,
  asked: Replay,
  ids: readonly string[],
  byLicense: ReadonlyMap<string, Uses>,
): Promise<RefusedLicense[]> {
  const licenses = await shadowedLicenses(db, ids);
  const concernsIps = asked.change.type === "max_ips" || asked.change.type === "registration";
  const slots = concernsIps ? await slotsBefore(db, ids, asked.sinceMs) : null;
  const registered = concernsIps ? await registeredAmong(db, ids, byLicense) : null;
  return licenses.flatMap((license) => {
    const uses = replay(asked, {
      maxIps: license.ip_system_enabled === 1 ? license.max_ips : null,
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
  const found = new Map<string, Map<string, number>>();
  for (let start = 0; start < used.length; start += shadowedTogether) {
    const times = await registrationTimes(db, used.slice(start, start + shadowedTogether));
    for (const [licenseId, ofLicense] of times)
      found.set(licenseId, new Map([...(found.get(licenseId) ?? []), ...ofLicense]));
    await yieldToEventLoop();
  }
  return found;
}
