import { noteStorageError } from "./surface.ts";

/** Something an operator can put right. The message is one whole sentence, or two, that says what and how. */
export class StoreProblem extends Error {
  override readonly name = "StoreProblem";
}

/** Why storage cannot be used. What is told of it, and how often, goes by this. */
export type StorageReason =
  | "unreachable"
  | "read_only"
  | "full"
  | "locked"
  | "slow"
  | "conflict"
  | "damaged"
  | "too_many_connections";

/** Storage did not answer. The request fails closed; nothing is wrong with what was asked. */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
  readonly reason: StorageReason;

  constructor(message: string, options: ErrorOptions & { readonly reason?: StorageReason } = {}) {
    super(message, options);
    this.reason = options.reason ?? "unreachable";
    noteStorageError(this);
  }
}
