import { licenseView } from "@countersign/store/queries/license-views";
import { type ShownLicense, showLicense } from "@countersign/store/shown-license";
import type { Database } from "@countersign/store/store";

export async function readLicense(db: Database, id: string, nowMs: number): Promise<ShownLicense> {
  return showLicense(await licenseView(db, id), nowMs);
}
