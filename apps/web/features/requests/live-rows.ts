import type { LoggedRequest } from "./request.tsx";

/** The requests that a live stream has delivered. */
export interface LiveRows {
  /** Newest first. */
  readonly shown: readonly LoggedRequest[];
  readonly isPaused: boolean;
  /** Arrived while paused, newest first. */
  readonly waiting: readonly LoggedRequest[];
  /** How many requests were left out: by the server, or here because too many were waiting. */
  readonly skipped: number;
  /** Whether the server has left out further ones, whose number it does not know. */
  readonly hasSkippedMore: boolean;
  /** Whether older requests no longer fit. */
  readonly isCut: boolean;
}

/** More rows than anyone reads, and few enough for the page to stay fast. */
export const maxLiveRows = 500;

export const noLiveRows: LiveRows = {
  shown: [],
  isPaused: false,
  waiting: [],
  skipped: 0,
  hasSkippedMore: false,
  isCut: false,
};

export type LiveEvent =
  /** Also those of the list, which are read when the stream opens, so that none is missing in between. */
  | { readonly kind: "requests"; readonly requests: readonly LoggedRequest[] }
  | { readonly kind: "skipped"; readonly count: number | null }
  | { readonly kind: "pause" | "resume" | "clear" };

export function liveRows(rows: LiveRows, event: LiveEvent): LiveRows {
  switch (event.kind) {
    case "requests": {
      const seen = new Set([...rows.shown, ...rows.waiting].map(({ id }) => id));
      const fresh = event.requests.filter(({ id }) => !seen.has(id));
      if (fresh.length === 0) return rows;
      if (!rows.isPaused) return shownWith(rows, fresh);
      const waiting = newestFirst([...fresh, ...rows.waiting]);
      const left = waiting.slice(maxLiveRows).reduce((sum, { count }) => sum + count, 0);
      return { ...rows, waiting: waiting.slice(0, maxLiveRows), skipped: rows.skipped + left };
    }
    case "skipped":
      return event.count === null
        ? { ...rows, hasSkippedMore: true }
        : { ...rows, skipped: rows.skipped + event.count };
    case "pause":
      return { ...rows, isPaused: true };
    case "resume":
      return shownWith({ ...rows, isPaused: false, waiting: [] }, rows.waiting);
    case "clear":
      return noLiveRows;
  }
}

/** The rows of the list that the stream has not delivered, below or between those that it has. */
export function withOlder(rows: LiveRows, listed: readonly LoggedRequest[]): readonly LoggedRequest[] {
  const known = new Set([...rows.shown, ...rows.waiting].map(({ id }) => id));
  const all = newestFirst([...rows.shown, ...listed.filter(({ id }) => !known.has(id))]);
  const last = rows.isCut ? rows.shown.at(-1) : undefined;
  return last === undefined ? all : all.slice(0, all.indexOf(last) + 1);
}

function shownWith(rows: LiveRows, fresh: readonly LoggedRequest[]): LiveRows {
  const shown = newestFirst([...fresh, ...rows.shown]);
  return { ...rows, shown: shown.slice(0, maxLiveRows), isCut: rows.isCut || shown.length > maxLiveRows };
}

/** Several servers write the log, so that requests can arrive out of order. */
function newestFirst(requests: readonly LoggedRequest[]): LoggedRequest[] {
  return requests.toSorted((one, other) => order(other, one));
}

function order(one: LoggedRequest, other: LoggedRequest): number {
  if (one.at !== other.at) return one.at < other.at ? -1 : 1;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}
