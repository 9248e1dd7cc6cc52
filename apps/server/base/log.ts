import { isDiskFull, type StorageReason, StorageUnavailable } from "@countersign/store/errors/problem";

export type LogLevel = "debug" | "info" | "warn" | "error";
export const logLevels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface LogOptions {
  readonly level: LogLevel;
  /** Lines for a person at a terminal instead of JSON. */
  readonly pretty: boolean;
  readonly now: () => number;
  readonly write: (line: string) => void;
}

/** One line per event: JSON for machines, or a plain line for a person. */
export function createLog({ level, pretty, now, write }: LogOptions): Log {
  const line = pretty ? prettyLine : jsonLine;
  const lowest = logLevels.indexOf(level);
  const at =
    (lineLevel: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (logLevels.indexOf(lineLevel) >= lowest)
        write(`${line(new Date(now()), lineLevel, message, fields)}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/**
 * For messages that can occur thousands of times a second: reports the first immediately, and then at most once per
 * `everyMs` how many more there were. The rest is reported when the time has passed.
 */
export function inBursts<T>(
  everyMs: number,
  recordEvents: (amount: number, latest: T) => void,
): (amount: number, latest: T) => void {
  let waiting: { amount: number; latest: T } | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const next = () => {
    timer = null;
    if (waiting === null) return;
    recordEvents(waiting.amount, waiting.latest);
    waiting = null;
    rest();
  };
  const rest = () => {
    timer = setTimeout(next, everyMs);
    timer.unref();
  };
  return (amount, latest) => {
    if (timer === null) {
      recordEvents(amount, latest);
      rest();
    } else {
      waiting = { amount: (waiting?.amount ?? 0) + amount, latest };
    }
  };
}

/** The message of an error and its causes, on one line. A full disk comes first: it explains all the rest. */
export function reasonOf(error: unknown): string {
  return isDiskFull(error) ? `The disk is full. ${messagesOf(error)}` : messagesOf(error);
}

function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${messagesOf(error.cause)})`;
}

function jsonLine(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  const members = { time: time.toISOString(), level, message };
  // First for their position, and last so that no field can override them.
  return JSON.stringify({ ...members, ...fields, ...members });
}

function prettyLine(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(" ");
  const mark = level === "info" ? "" : `${level.toUpperCase()} `;
  const text = onOneLine(`${mark}${message}${details === "" ? "" : `  ${details}`}`);
  return `${time.toTimeString().slice(0, 8)} ${text}`;
}

/** Untrusted input can end up in a line, and must not be able to start another or control the terminal. */
function onOneLine(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}]/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

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
