import type { ImportDefaults } from "@countersign/domain/license-files/row";
import type { Bulk } from "../../bulk.ts";
import type { ImportRow } from "../../tables/license-files.ts";

/** Where licenses are to go, and by which rules. */
export interface Destination {
  readonly importId: string;
  readonly organizationId: string;
  readonly productId: string;
  readonly defaults: ImportDefaults;
  readonly onExisting: ImportRow["on_existing"];
}

export interface ImportDependencies {
  readonly bulk: Bulk;
  readonly newId: () => string;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly nowMs: number;
}
