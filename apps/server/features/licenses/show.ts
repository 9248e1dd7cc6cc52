import type { license } from "@countersign/contract/manage/license-fields";
import { licenseView } from "@countersign/store/queries/license-views";
import { showLicense } from "@countersign/store/shown-license";
import type { Database } from "@countersign/store/store";
import type { z } from "zod";

export { showLicense };

export type ShownLicense = z.input<typeof license>;

export async function readLicense(db: Database, id: string, nowMs: number): Promise<ShownLicense> {
  return showLicense(await licenseView(db, id), nowMs);
}

/** How a key is called where whoever reads need not be able to use it. */
export function maskedKey(key: string): string {
  return `${[...key].slice(0, 4).join("")}…`;
}
