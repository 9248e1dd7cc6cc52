/**
 * What the thread that talks HTTP and the thread that decides say to each other. A batch crosses as two strings: one is
 * JSON, tuples of short values; the other holds the long texts of all of them, end to end, so that nothing long is
 * escaped or parsed on the way.
 */

export type Endpoint = "validate" | "lookup";

/**
 * One request. Its text is the body of a validation or the key of a lookup, so many characters long; the length is
 * null when there is no text and only admission is asked for.
 */
export type Ask = readonly [
  slot: number,
  requestId: string,
  endpoint: Endpoint,
  token: string,
  address: string,
  counted: 0 | 1,
  textLength: number | null,
  nonce: string,
];

export type Answer =
  | readonly [slot: number, tag: "unauthorized"]
  | readonly [slot: number, tag: "failed"]
  | readonly [slot: number, tag: "limited", quota: Quota]
  | readonly [slot: number, tag: "admitted", quota: Quota]
  | readonly [slot: number, tag: "missing", quota: Quota]
  /** Its text is the body to send. `outcome` is the status of a verdict, or `found`. */
  | readonly [
      slot: number,
      tag: "told",
      quota: Quota,
      outcome: string,
      textLength: number,
      problem: string | null,
    ];

export type Quota = readonly [limit: number | null, remaining: number, resetSeconds: number];

export type BatchTime = readonly [calls: number, seconds: number];

export type ToDecider =
  | { readonly kind: "asks"; readonly asks: string; readonly texts: string }
  | { readonly kind: "ping"; readonly id: number }
  | { readonly kind: "close" };

export type FromDecider =
  | { readonly kind: "ready" }
  | { readonly kind: "cannot_start"; readonly message: string }
  /** Answers, and for the statistics how many were decided together and how long the database took. */
  | {
      readonly kind: "answers";
      readonly answers: string;
      readonly texts: string;
      readonly batches: readonly BatchTime[];
    }
  /** What is to be written down: a JSON array of this many entries, passed on unopened. */
  | { readonly kind: "entries"; readonly entries: string; readonly count: number }
  | { readonly kind: "batch_failed"; readonly calls: number; readonly reason: string }
  | { readonly kind: "pong"; readonly id: number; readonly alive: boolean }
  | { readonly kind: "closed" };
