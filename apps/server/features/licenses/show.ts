import type { license } from "@countersign/contract/manage/license-fields";
import { licenseRecord } from "@countersign/store/license-record";
import { type LicenseView, licenseView } from "@countersign/store/queries/license-views";
import type { Database } from "@countersign/store/store";
import type { z } from "zod";
import { iso } from "../../http/manage/page.ts";

export type ShownLicense = z.input<typeof license>;

/** A license as the management API shows it. Its pin is shown as it is kept, whether or not versions are gated. */
export function showLicense(view: LicenseView, nowMs: number): ShownLicense {
  return {
    ...licenseRecord(view, true, nowMs),
    product_name: view.product_name,
    revoked_reason: view.revoked_reason,
    custom_override: parsed(view.custom_override),
    metadata: parsed(view.metadata),
    tags: [...view.tags],
    first_used_at: iso(view.first_used_at),
    term_seconds: view.term_ms === null ? null : Math.round(view.term_ms / 1000),
  };
}

export async function readLicense(db: Database, id: string, nowMs: number): Promise<ShownLicense> {
  return showLicense(await licenseView(db, id), nowMs);
}

/** How a key is called where whoever reads need not be able to use it. */
export function maskedKey(key: string): string {
  return `${[...key].slice(0, 4).join("")}…`;
}

function parsed(json: string | null) {
  return json === null ? null : JSON.parse(json);
}
