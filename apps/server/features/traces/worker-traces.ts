import { minuteMs } from "@countersign/domain/dates/lengths";
import type { TraceSettings } from "@countersign/domain/traces/settings";
import { type HrTime, type SpanContext, SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { inBursts, type Log, reasonOf } from "../../base/log.ts";
import { release } from "../../base/release.ts";
import { type ExportSpans, SpanQueue } from "./span-queue.ts";
import { type SpanRecord, type SpanReference, Tracer } from "./tracer.ts";

/** The traces of the management worker, which also exports the spans of the validating thread. */
export interface WorkerTraces {
  readonly tracer: Tracer;
  /** Takes a list of spans as JSON. */
  add(json: string): void;
  readonly counts: { readonly exported: number; readonly dropped: number };
  close(): Promise<void>;
}

export async function openWorkerTraces(
  settings: TraceSettings,
  node: string,
  log: Log,
): Promise<WorkerTraces> {
  const failed = inBursts<string>(minuteMs, (spans, reason) =>
    log.warn("Traces could not be exported. They were dropped.", { spans, reason }),
  );
  const queue = new SpanQueue(await otlpExport(settings, node), (spans, cause) =>
    failed(spans, reasonOf(cause)),
  );
  return {
    tracer: new Tracer(settings.sampler, (span) => queue.add([span])),
    add: (json) => queue.add(JSON.parse(json) as SpanRecord[]),
    get counts() {
      return queue.counts;
    },
    close: () => queue.close(),
  };
}

/** How long an export may take, its retries included. */
const timeoutMillis = 5_000;

/** Sends spans to the configured endpoint, with the exporter of OpenTelemetry. */
export async function otlpExport(settings: TraceSettings, node: string): Promise<ExportSpans> {
  const exporter = await openExporter(settings);
  const resource = resourceFromAttributes({
    "service.version": release,
    "service.instance.id": node,
    ...settings.resource,
  });
  return (spans) =>
    new Promise((resolve, reject) => {
      exporter.export(
        spans.map((span) => readableSpan(span, resource)),
        ({ code, error }) => {
          // 0 is success.
          if (code === 0) resolve();
          else reject(error ?? new Error("The endpoint did not accept the spans."));
        },
      );
    });
}

async function openExporter({ url, headers, protocol }: TraceSettings): Promise<SpanExporter> {
  const options = { url, headers: { ...headers }, timeoutMillis };
  // Only one of them is loaded.
  if (protocol === "http/json") {
    const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
    return new OTLPTraceExporter(options);
  }
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-proto");
  return new OTLPTraceExporter(options);
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

function readableSpan(span: SpanRecord, resource: Resource): ReadableSpan {
  const { traceId, parentId, startMs, durationMs } = span;
  return {
    name: span.name,
    kind: kinds[span.kind],
    spanContext: () => contextOf(span),
    ...(parentId === null ? {} : { parentSpanContext: contextOf({ traceId, spanId: parentId }) }),
    startTime: hrTime(startMs),
    endTime: hrTime(startMs + durationMs),
    duration: hrTime(durationMs),
    status: { code: span.failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: span.attributes,
    links: span.links.map((link) => ({ context: contextOf(link) })),
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: "countersign", version: release },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function contextOf({ traceId, spanId }: SpanReference): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
}

/** Seconds and nanoseconds. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.floor((ms - seconds * 1_000) * 1_000_000)];
}
