import { type StorageReason, StorageUnavailable } from "@countersign/store/errors/problem";
import { inBursts, type Log, reasonOf } from "./log.ts";

const logEveryMs = 60_000;

type Note = (count: number, latest: string) => void;

/**
 * Whether the error says that storage is unavailable. If so, one line a minute is logged per cause, however many
 * requests and jobs encounter it.
 */
export function isStorageError(log: Log, error: unknown): error is StorageUnavailable {
  if (!(error instanceof StorageUnavailable)) return false;
  notesOf(log, error.reason)(1, reasonOf(error));
  return true;
}

/** Everything that writes to one log shares its limit. */
const notes = new WeakMap<Log, Map<StorageReason, Note>>();

function notesOf(log: Log, cause: StorageReason): Note {
  const ofLog = notes.get(log) ?? new Map<StorageReason, Note>();
  notes.set(log, ofLog);
  const known = ofLog.get(cause);
  if (known !== undefined) return known;
  const note = inBursts<string>(logEveryMs, (times, reason) =>
    log.error("Storage is unavailable. Requests are answered 503, and jobs will be retried.", {
      cause,
      times,
      reason,
    }),
  );
  ofLog.set(cause, note);
  return note;
}
