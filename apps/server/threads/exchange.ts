/**
 * A request on its way from the validating thread to the management worker, and its response on the way back. Bodies
 * follow piece by piece, each when the other side asks for it, so that neither thread ever holds more than one.
 */

/** What the runtime's and Node.js's declarations of a reader have in common. */
export interface PieceReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
  /** Rejects if the rest will not follow. */
  readonly closed: Promise<unknown>;
}

export type HeaderPairs = readonly (readonly [string, string])[];

/** What the validating thread sends. */
export type ToWorker =
  | {
      readonly kind: "request";
      readonly id: number;
      readonly method: string;
      /** Path and query. */
      readonly target: string;
      readonly headers: HeaderPairs;
      readonly hasBody: boolean;
    }
  /** A piece of the body that was asked for; null after the last one. */
  | { readonly kind: "body"; readonly id: number; readonly piece: Uint8Array | null }
  /** The rest of the body will not arrive. */
  | { readonly kind: "body_failed"; readonly id: number; readonly isTooSlow: boolean }
  /** The caller can take the next piece of the response. */
  | { readonly kind: "read"; readonly id: number }
  /** The caller is gone. */
  | { readonly kind: "left"; readonly id: number }
  /** Is answered as soon as the worker does anything. */
  | { readonly kind: "ping" };

/** What the management worker sends. */
export type FromWorker =
  | { readonly kind: "read_body"; readonly id: number }
  /** The rest of the body is not needed. */
  | { readonly kind: "cancel_body"; readonly id: number }
  /** From now on, the request only waits, for at most this long. */
  | { readonly kind: "waits"; readonly id: number; readonly seconds: number }
  | { readonly kind: "resumes"; readonly id: number }
  | {
      readonly kind: "response";
      readonly id: number;
      readonly status: number;
      readonly headers: HeaderPairs;
      /** All of it, or null if it follows in pieces. */
      readonly body: Uint8Array | null;
      /** The pieces are made when they are asked for; otherwise they are in memory until then. */
      readonly isGenerated: boolean;
      /** The longest time between two pieces. */
      readonly silentSeconds: number;
      /** It can be delayed while there are many of its kind. */
      readonly isRejection: boolean;
    }
  /** There will be no response. */
  | { readonly kind: "failed"; readonly id: number; readonly reason: string }
  /** A piece of the response that was asked for; null after the last one. */
  | { readonly kind: "piece"; readonly id: number; readonly piece: Uint8Array | null }
  /** The rest of the response will not follow. */
  | { readonly kind: "piece_failed"; readonly id: number }
  | { readonly kind: "pong" };
