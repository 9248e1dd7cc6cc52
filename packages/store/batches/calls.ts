import type { IpAddress } from "@countersign/domain/ip/ip-address";
import type { Verdict } from "@countersign/domain/validate/decide";
import type { LicenseFacts, ProductFacts } from "@countersign/domain/validate/facts";
import type { LicenseRecord } from "./license-record.ts";

/** One request of the public API, as storage sees it. */
export interface Call {
  readonly apiKey: { readonly publicId: string; readonly hash: string };
  readonly ipAddress: IpAddress;
  /** Whether an earlier batch has already counted it, while its body was still arriving. */
  readonly counted: boolean;
  /**
   * What the caller asks for. Evaluated only once the request is authenticated, and on SQLite therefore inside the
   * batch's transaction: an ordinary body is parsed in a microsecond, but a nested one of 16 KB takes milliseconds, which
   * a client without a key must not be able to cause.
   */
  question(): Question;
}

export type Question =
  /** Nothing yet: the body is still arriving, or is too large to be read at all. */
  | { readonly kind: "admission" }
  | { readonly kind: "validate"; readonly keyMatch: string | null; readonly version: string | null }
  | { readonly kind: "lookup"; readonly keyMatch: string };

/** The result of a call. */
export type CallResult =
  | { readonly tag: "unauthorized" }
  | { readonly tag: "limited"; readonly quota: QuotaState; readonly caller: CallerProduct }
  | { readonly tag: "admitted"; readonly quota: QuotaState; readonly caller: CallerProduct }
  | {
      readonly tag: "validated";
      readonly quota: QuotaState;
      readonly caller: CallerProduct;
      readonly license: LicenseFacts | null;
      readonly verdict: Verdict;
      readonly nowMs: number;
    }
  | {
      readonly tag: "looked_up";
      readonly quota: QuotaState;
      readonly caller: CallerProduct;
      readonly record: LicenseRecord | null;
      readonly nowMs: number;
    };

export interface QuotaState {
  /** Null if the organization has no limit. */
  readonly limit: number | null;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** The product that an API key belongs to. */
export interface CallerProduct {
  readonly facts: ProductFacts;
  /** Null unless both the product and its organization sign responses. */
  readonly signing: { readonly keyId: string; readonly secret: Uint8Array } | null;
}

/** How many calls this process has validated, visible to every thread. */
export class CallCount {
  readonly shared: SharedArrayBuffer;
  readonly #count: Float64Array;

  constructor(shared = new SharedArrayBuffer(8)) {
    this.shared = shared;
    this.#count = new Float64Array(shared);
  }

  get value(): number {
    return this.#count[0] ?? 0;
  }

  add(calls: number): void {
    this.#count[0] = this.value + calls;
  }
}
