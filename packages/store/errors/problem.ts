import { noteStorageError } from "./surface.ts";

/**
 * A problem that the operator can fix. The message is one or two complete sentences that say what is wrong and what to
 * do.
 */
export class StoreProblem extends Error {
  override readonly name = "StoreProblem";
}

/** Why storage is unavailable. Reporting, and its frequency, depend on this. */
export type StorageReason =
  | "unreachable"
  | "read_only"
  | "full"
  | "locked"
  | "slow"
  | "conflict"
  | "damaged"
  | "too_many_connections";

/** Storage did not respond. The request fails closed; nothing is wrong with the request itself. */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
  readonly reason: StorageReason;

  constructor(message: string, options: ErrorOptions & { readonly reason?: StorageReason } = {}) {
    super(message, options);
    this.reason = options.reason ?? "unreachable";
    noteStorageError(this);
  }
}
