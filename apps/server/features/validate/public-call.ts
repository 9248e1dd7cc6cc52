import { countedAs, type IpAddress } from "@countersign/domain/ip/ip-address";
import type { CallerProduct, CallResult, Question } from "@countersign/store/batches/calls";
import type { JournalEntry } from "@countersign/store/journal";
import {
  licenseMissing,
  limitReached,
  unauthorized,
  unavailable,
  verdictResponse,
} from "../../http/answers.ts";
import type { Span } from "../traces/tracer.ts";
import type { WaitingCall } from "./batch.ts";
import { asKeyMatch } from "./body.ts";

export type Endpoint = "validate" | "lookup";

/** Where the outcomes of requests are reported. */
export interface RequestObservers {
  readonly count: (endpoint: Endpoint, outcome: string) => void;
  /** Of requests with a well-formed API key. */
  readonly took: (endpoint: Endpoint, ms: number) => void;
  readonly record: (entry: JournalEntry) => void;
}

/** A well-formed product API key, not yet known to be valid. */
export interface PresentedKey {
  readonly publicId: string;
  readonly hash: string;
  /** Whether it is a test API key. */
  readonly isTest: boolean;
}

/** What is known of a request once its headers are read, and the means to respond. */
export interface RequestStart {
  readonly endpoint: Endpoint;
  readonly requestId: string;
  readonly apiKey: PresentedKey;
  readonly ipAddress: IpAddress;
  /** When its headers arrived, by `performance.now()`. */
  readonly startedMs: number;
  /** Its trace; null if it is not sampled. */
  readonly span: Span | null;
  readonly respond: (response: Response) => void;
  readonly observers: RequestObservers;
}

/** One request of the public API, up to its response. */
export abstract class PublicCall implements WaitingCall {
  readonly apiKey: PresentedKey;
  readonly ipAddress: IpAddress;
  readonly span: Span | null;
  readonly requestId: string;
  readonly #start: RequestStart;
  #tookMs: number | null = null;

  constructor(start: RequestStart) {
    this.apiKey = start.apiKey;
    this.ipAddress = start.ipAddress;
    this.span = start.span;
    this.requestId = start.requestId;
    this.#start = start;
  }

  abstract readonly counted: boolean;
  abstract question(): Question;
  protected abstract admitted(result: Extract<CallResult, { tag: "admitted" }>): void;

  finish(result: CallResult): void {
    switch (result.tag) {
      case "unauthorized":
        this.answer("invalid_api_key", unauthorized(this.requestId));
        break;
      case "limited":
        this.answer("rate_limit_exceeded", limitReached(this.requestId, result.quota));
        this.recordEnded("rate_limit_exceeded", result.caller.facts);
        break;
      case "admitted":
        this.admitted(result);
        break;
      case "validated":
        this.validated(result);
        break;
      case "looked_up":
        this.lookedUp(result);
        break;
    }
  }

  failed(): void {
    this.answer("unavailable", unavailable(this.requestId));
  }

  protected validated(_result: Extract<CallResult, { tag: "validated" }>): void {
    this.failed();
  }

  protected lookedUp(_result: Extract<CallResult, { tag: "looked_up" }>): void {
    this.failed();
  }

  protected answer(outcome: string, response: Response): void {
    const { endpoint, observers, respond } = this.#start;
    observers.count(endpoint, outcome);
    observers.took(endpoint, this.#took());
    if (this.span !== null) endSpan(this.span, outcome, response.status);
    respond(response);
  }

  /** How long it took, the same for everyone who is told. */
  #took(): number {
    this.#tookMs ??= performance.now() - this.#start.startedMs;
    return this.#tookMs;
  }

  /** The log entry of a request that looked up no license. Other requests add what they know. */
  protected entry(status: string, product: CallerProduct["facts"], nowMs: number): JournalEntry {
    return {
      at: nowMs,
      id: this.requestId,
      organization_id: product.organizationId,
      product_id: product.productId,
      license_id: null,
      endpoint: this.#start.endpoint,
      status,
      // As this product counts it.
      ip: countedAs(this.ipAddress, product.ipv6Prefix),
      version: null,
      device_id: null,
      problem: null,
      duration_us: Math.round(this.#took() * 1_000),
      count: 1,
      sandbox: 0,
      facts: null,
      tracked: false,
    };
  }

  protected record(entry: JournalEntry): void {
    this.#start.observers.record(entry);
  }

  /** Records a request that ended before a license was looked up. */
  protected recordEnded(status: string, product: CallerProduct["facts"]): void {
    this.record(this.entry(status, product, Date.now()));
  }
}

/** A lookup. It is counted like a validation and changes nothing else. */
export class LookupCall extends PublicCall {
  readonly counted = false;
  readonly #licenseKey: string;

  constructor(start: RequestStart, licenseKey: string) {
    super(start);
    this.#licenseKey = licenseKey;
  }

  question(): Question {
    const keyMatch = asKeyMatch(this.#licenseKey);
    return keyMatch === null ? { kind: "admission" } : { kind: "lookup", keyMatch };
  }

  /** A key that no license can have is not looked up: the call ends once it is admitted. */
  protected admitted({ quota, caller }: Extract<CallResult, { tag: "admitted" }>): void {
    this.answer("not_found", licenseMissing(this.requestId, quota));
    this.recordEnded("not_found", caller.facts);
  }

  protected override lookedUp(result: Extract<CallResult, { tag: "looked_up" }>): void {
    const { record, quota, caller, nowMs } = result;
    const status = record === null ? "not_found" : "found";
    this.answer(
      status,
      record === null
        ? licenseMissing(this.requestId, quota)
        : verdictResponse(JSON.stringify(record), this.requestId, quota, null),
    );
    // A lookup registers no IP address, and records no sighting.
    const entry = this.entry(status, caller.facts, nowMs);
    entry.license_id = record?.id ?? null;
    this.record(entry);
  }
}

function endSpan(span: Span, outcome: string, status: number): void {
  span.attributes["countersign.outcome"] = outcome;
  span.attributes["http.response.status_code"] = status;
  span.end(status >= 500);
}
