import { isoTime } from "@countersign/domain/validate/answer";
import { type LicenseRecord, licenseRecord } from "./license-record.ts";
import type { LicenseView } from "./queries/license-views.ts";

/** A license as the management API shows it. */
export interface ShownLicense extends LicenseRecord {
  readonly product_name: string;
  readonly revoked_reason: string | null;
  // Objects, by what was let in.
  // biome-ignore lint/suspicious/noExplicitAny: what JSON.parse gives.
  readonly custom_override: any;
  // biome-ignore lint/suspicious/noExplicitAny: what JSON.parse gives.
  readonly metadata: any;
  readonly tags: string[];
  readonly first_used_at: string | null;
  readonly term_seconds: number | null;
}

/** The pin is shown as stored, whether or not versions are gated. */
export function showLicense(view: LicenseView, nowMs: number): ShownLicense {
  return {
    ...licenseRecord(view, true, nowMs),
    product_name: view.product_name,
    revoked_reason: view.revoked_reason,
    custom_override: parsed(view.custom_override),
    metadata: parsed(view.metadata),
    tags: [...view.tags],
    first_used_at: isoTime(view.first_used_at),
    term_seconds: view.term_ms === null ? null : Math.round(view.term_ms / 1000),
  };
}

function parsed(json: string | null) {
  return json === null ? null : JSON.parse(json);
}
