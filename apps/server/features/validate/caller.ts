import { countedAs, type IpAddress } from "@countersign/domain/ip/ip-address";
import { maxVersionLength } from "@countersign/domain/versions/version";
import type { CallerProduct } from "@countersign/store/batches/calls";
import type { JournalEntry } from "@countersign/store/journal";
import type { Span } from "../traces/tracer.ts";

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

/** What a journal entry contains about a request besides the caller and the time. */
export interface RequestOutcome {
  readonly nowMs: number;
  readonly product: CallerProduct["facts"];
  readonly licenseId: string | null;
  readonly status: string;
  /** The IP address as this product counts it. */
  readonly ip: string;
  readonly version: string | null;
  readonly deviceId: string | null;
  readonly problem: string | null;
  /** What the rule saw that refused the request, as JSON. */
  readonly facts: string | null;
  readonly tracked: boolean;
}

/** The caller of a request, and the means to respond. */
export class Caller {
  readonly endpoint: Endpoint;
  readonly requestId: string;
  readonly apiKey: PresentedKey;
  readonly ipAddress: IpAddress;
  /** When its headers arrived, by `performance.now()`. */
  readonly startedMs: number;
  /** Its trace; null if it is not sampled. */
  readonly span: Span | null;
  readonly #respond: (response: Response) => void;
  readonly #observers: RequestObservers;
  #tookMs: number | null = null;

  constructor(
    endpoint: Endpoint,
    requestId: string,
    apiKey: PresentedKey,
    ipAddress: IpAddress,
    startedMs: number,
    span: Span | null,
    respond: (response: Response) => void,
    observers: RequestObservers,
  ) {
    this.endpoint = endpoint;
    this.requestId = requestId;
    this.apiKey = apiKey;
    this.ipAddress = ipAddress;
    this.startedMs = startedMs;
    this.span = span;
    this.#respond = respond;
    this.#observers = observers;
  }

  answer(outcome: string, response: Response): void {
    this.#observers.count(this.endpoint, outcome);
    this.#observers.took(this.endpoint, this.#took());
    if (this.span !== null) endSpan(this.span, outcome, response.status);
    this.#respond(response);
  }

  /** How long it took, the same for everyone who is told. */
  #took(): number {
    this.#tookMs ??= performance.now() - this.startedMs;
    return this.#tookMs;
  }

  record({
    nowMs,
    product,
    licenseId,
    status,
    ip,
    version,
    deviceId,
    problem,
    facts,
    tracked,
  }: RequestOutcome): void {
    this.#observers.record([
      nowMs,
      this.requestId,
      product.organizationId,
      product.productId,
      licenseId,
      this.endpoint,
      status,
      ip,
      // A body can have 16 KB, and every request is stored for weeks: anything longer is not a version anyway.
      version === null ? null : version.slice(0, maxVersionLength),
      deviceId,
      problem,
      Math.round(this.#took() * 1_000),
      1,
      0,
      facts,
      tracked,
    ]);
  }

  /** Records a request that ended before a license was looked up. */
  recordEnded(status: string, product: CallerProduct["facts"]): void {
    this.record({
      nowMs: Date.now(),
      product,
      status,
      ip: countedAs(this.ipAddress, product.ipv6Prefix),
      ...{ licenseId: null, version: null, deviceId: null, problem: null, facts: null, tracked: false },
    });
  }
}

function endSpan(span: Span, outcome: string, status: number): void {
  span.attributes["countersign.outcome"] = outcome;
  span.attributes["http.response.status_code"] = status;
  span.end(status >= 500);
}
