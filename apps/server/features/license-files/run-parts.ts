import type { Store } from "@countersign/store/store";
import type { ImportRow } from "@countersign/store/tables/license-files";
import type { Throttle } from "./throttle.ts";

/** The context of a worker that processes an import. */
export interface RunParts {
  readonly store: Store;
  /** The worker: it changes the job only while it holds the lease. */
  readonly claimant: string;
  readonly throttle: Throttle;
  /** Whether to leave the rest for later. */
  readonly stopping: () => boolean;
  readonly progress?: (job: ImportRow) => void;
}
