import type { Store } from "@countersign/store/store";
import type { ImportRow } from "@countersign/store/tables";
import type { Pace } from "./pace.ts";

/** What whoever works on an import has. */
export interface RunParts {
  readonly store: Store;
  /** Who works on it: the job is only changed while it is theirs. */
  readonly claimant: string;
  readonly pace: Pace;
  /** Whether to leave the rest for later. */
  readonly stopping: () => boolean;
  readonly progress?: (job: ImportRow) => void;
}
