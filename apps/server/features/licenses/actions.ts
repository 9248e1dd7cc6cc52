import { randomBytes } from "node:crypto";
import * as contract from "@countersign/contract/manage/license-actions";
import { latestMs } from "@countersign/domain/licenses/expiry";
import { generateLicenseKey, matchForm, parseImportedKey } from "@countersign/domain/licenses/key";
import {
  changeLicense,
  extending,
  type LicenseChange,
  reinstating,
  resettingIps,
  revoking,
  settingExpiry,
} from "@countersign/store/queries/licenses/changes";
import { type LicenseView, type ShownLicense, showLicense } from "@countersign/store/queries/licenses/views";
import type { Database } from "@countersign/store/store";
import { type BoundRoute, bind, type Context, type LicenseContext } from "../../api/context.ts";
import { invalid, invalidField, Problem } from "../../http/problem.ts";
import { applyChange, current, type Drained, drain, recorded } from "./change.ts";
import { checkKeysAreFree } from "./create.ts";
import { endMs, extensionOf } from "./fields.ts";

/** Actions on a single license. Each can be repeated, without further effect. */
export const actionRoutes: readonly BoundRoute[] = [
  bind(contract.revokeLicense, (context, { body }) =>
    changeAndShow(context, "license.revoked", revoking(body.reason ?? null, context.nowMs)),
  ),

  bind(contract.reinstateLicense, (context) =>
    changeAndShow(context, "license.reinstated", reinstating(context.nowMs)),
  ),

  bind(contract.resetLicenseIps, async (context) => {
    const drained = await drain(context.store, [context.license.id]);
    return changeAndShow(context, "license.ips_reset", resettingIps(context.nowMs), drained);
  }),

  bind(contract.renewLicense, async (context, { body }) => {
    const renewal = renewalOf(body, context.organization.time_zone, context.nowMs);
    return context.transaction(async (db) => {
      const row = await current(db, context);
      if (row.is_lifetime === 1) {
        throw new Problem("license_never_expires");
      }
      const { shown } = await applyChange(db, context, {
        action: "license.renewed",
        change: renewal,
        licenses: [row],
      });
      return shown[0] ?? showLicense(row, context.nowMs);
    });
  }),

  bind(contract.rotateLicenseKey, async (context, { body }) => {
    const key = keyOf(body.license_key);
    const { product_id: productId, id } = context.license;
    const check = () => checkKeysAreFree(context.store.reads, productId, [{ key, id }], () => "");
    await check();
    try {
      return await context.transaction(async (db) => {
        const row = await current(db, context);
        return (await replaceKey(db, context, row, key)) ?? showLicense(row, context.nowMs);
      });
    } catch (error) {
      // Someone may have taken the key between the check and the write.
      await check();
      throw error;
    }
  }),
];

/** Replaces the key of a locked license. */
export async function replaceKey(
  db: Database,
  context: Context,
  row: LicenseView,
  key: string,
): Promise<ShownLicense | undefined> {
  const columns = { license_key: key, license_key_match: matchForm(key) };
  const [shown] = await recorded(db, context, { action: "license.key_rotated", licenses: [row] }, () =>
    changeLicense(db, row, columns, null, context.nowMs),
  );
  return shown;
}

async function changeAndShow(
  context: LicenseContext,
  action: string,
  change: LicenseChange,
  drained: Drained = new Map(),
): Promise<ShownLicense> {
  return context.transaction(async (db) => {
    const row = await current(db, context);
    const { shown } = await applyChange(db, context, { action, change, licenses: [row], drained });
    return shown[0] ?? showLicense(row, context.nowMs);
  });
}

function renewalOf(
  body: {
    expires_at?: string | undefined;
    extend_by?: string | undefined;
    extend_by_seconds?: number | undefined;
  },
  timeZone: string,
  nowMs: number,
): LicenseChange {
  const { expires_at: until } = body;
  const by = extensionOf(body, timeZone);
  if (until !== undefined && by !== null) {
    const field = body.extend_by === undefined ? "extend_by_seconds" : "extend_by";
    throw invalid(field, "conflicts_with", { other: "expires_at" });
  }
  if (by !== null) return extending(by, nowMs);
  if (until === undefined) throw invalid("expires_at", "renewal_missing");
  const untilMs = endMs(until, timeZone);
  if (untilMs <= nowMs) throw invalid("expires_at", "not_in_future");
  if (untilMs > latestMs) throw invalid("expires_at", "after_year_9999");
  return settingExpiry(untilMs, nowMs);
}

function keyOf(text: string | undefined): string {
  if (text === undefined) return generateLicenseKey(randomBytes);
  const read = parseImportedKey(text);
  if (read.ok) return read.key;
  throw invalidField("license_key", read.fault);
}
