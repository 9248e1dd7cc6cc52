/** A migration gave up waiting for a lock, so that others do not wait behind it, and will be tried again. */
export interface LockWait {
  readonly migration: string;
  /** The sessions that hold the lock, as text; empty if they could not be determined. */
  readonly heldBy: readonly string[];
  readonly retryMs: number;
}

export interface MigrationOptions {
  readonly migrationWaits?: (wait: LockWait) => void;
}
