import { randomFillSync } from "node:crypto";
import type { TraceSampler } from "@countersign/domain/traces/settings";
import {
  isSampled,
  randomPartOf,
  type TraceParent,
  traceParentHeader,
} from "@countersign/domain/traces/traceparent";
import type { Attributes, SpanKind, SpanRecord, SpanReference } from "./span.ts";

/** Starts spans, of those traces that are sampled. */
export class Tracer {
  readonly #sampler: TraceSampler;
  readonly #keep: (span: SpanRecord) => void;

  constructor(sampler: TraceSampler, keep: (span: SpanRecord) => void) {
    this.#sampler = sampler;
    this.#keep = keep;
  }

  /** Null if the trace is not sampled. `parent` is what the caller sent. */
  start(
    name: string,
    kind: SpanKind,
    parent: TraceParent | null,
    attributes: Attributes,
    startedMs = performance.now(),
  ): Span | null {
    const at = nextRandom();
    const randomPart = parent === null ? random.readUIntBE(at + 9, 6) : randomPartOf(parent.traceId);
    if (!isSampled(this.#sampler, parent, randomPart)) return null;
    const traceId = parent?.traceId ?? random.toString("hex", at, at + 16);
    const spanId = random.toString("hex", at + 16, at + 24);
    return new Span(traceId, spanId, parent?.spanId ?? null, name, kind, attributes, startedMs, this.#keep);
  }

  /** A part of another span. */
  startChild(
    name: string,
    kind: SpanKind,
    { traceId, spanId: parentId }: SpanReference,
    attributes: Attributes,
  ): Span {
    const at = nextRandom();
    const spanId = random.toString("hex", at + 16, at + 24);
    return new Span(traceId, spanId, parentId, name, kind, attributes, performance.now(), this.#keep);
  }
}

/** A sampled span in progress. */
export class Span implements SpanReference {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Attributes;
  name: string;
  readonly #parentId: string | null;
  readonly #kind: SpanKind;
  readonly #startedMs: number;
  readonly #keep: (span: SpanRecord) => void;
  #links: SpanReference[] | null = null;

  constructor(
    traceId: string,
    spanId: string,
    parentId: string | null,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    startedMs: number,
    keep: (span: SpanRecord) => void,
  ) {
    this.traceId = traceId;
    this.spanId = spanId;
    this.attributes = attributes;
    this.name = name;
    this.#parentId = parentId;
    this.#kind = kind;
    this.#startedMs = startedMs;
    this.#keep = keep;
  }

  /** For work that several spans share: it is part of only one. */
  link({ traceId, spanId }: SpanReference): void {
    this.#links ??= [];
    if (this.#links.length < mostLinks) this.#links.push({ traceId, spanId });
  }

  /** What outgoing requests send as `traceparent`. */
  get traceParent(): string {
    return traceParentHeader(this.traceId, this.spanId);
  }

  end(failed = false): void {
    const nowMs = performance.now();
    this.#keep({
      traceId: this.traceId,
      spanId: this.spanId,
      parentId: this.#parentId,
      name: this.name,
      kind: this.#kind,
      startMs: clockOffsetMs(nowMs) + this.#startedMs,
      durationMs: nowMs - this.#startedMs,
      attributes: this.attributes,
      links: this.#links ?? [],
      failed,
    });
  }
}

/** The limit that OpenTelemetry suggests. */
const mostLinks = 128;

/** Random bytes are cheaper in large amounts: 16 for the ID of a trace, 8 for that of a span. */
const bytesOfIds = 24;
const random = Buffer.alloc(bytesOfIds * 170);
let nextAt = random.length;

function nextRandom(): number {
  if (nextAt === random.length) {
    randomFillSync(random);
    nextAt = 0;
  }
  nextAt += bytesOfIds;
  return nextAt - bytesOfIds;
}

const offsetLastsMs = 60_000;
let offset = { ms: 0, readMs: Number.NEGATIVE_INFINITY };

/**
 * What to add to `performance.now()` for the time of day. It is read once a minute and not for every span: the time of
 * day has whole milliseconds only, and a child must not appear to start before its parent.
 */
function clockOffsetMs(nowMs: number): number {
  if (nowMs - offset.readMs > offsetLastsMs) offset = { ms: Date.now() + 0.5 - nowMs, readMs: nowMs };
  return offset.ms;
}
