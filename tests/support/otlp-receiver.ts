import { openReceiver, type Received } from "./receiver.ts";

/** A span as it arrived. */
export interface ReceivedSpan {
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly startNanoseconds: bigint;
  readonly endNanoseconds: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly failed: boolean;
}

/** An OpenTelemetry collector on loopback: it accepts traces as JSON and keeps them. */
export async function openOtlpReceiver() {
  const receiver = await openReceiver(() => ({ status: 200, body: "{}" }));
  return {
    url: receiver.url,
    requests: receiver.received,
    spans: () => receiver.received.flatMap(spansOf),
    close: () => receiver.close(),
  };
}

type Attributes = readonly { readonly key: string; readonly value: object }[];

/** What differs in the export from the span above. */
interface ExportedSpan extends Pick<ReceivedSpan, "name" | "kind" | "traceId" | "spanId"> {
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Attributes;
  readonly links?: ReceivedSpan["links"];
  readonly status?: { readonly code?: number };
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

function spansOf({ body, headers }: Received): ReceivedSpan[] {
  if (headers["content-type"] !== "application/json") return [];
  const { resourceSpans } = JSON.parse(body) as ExportRequest;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => spanOf(span, valuesOf(resource.attributes)))),
  );
}

function spanOf(span: ExportedSpan, resource: ReceivedSpan["resource"]): ReceivedSpan {
  const { name, kind, traceId, spanId, parentSpanId = null, links = [] } = span;
  return {
    ...{ name, kind, traceId, spanId, parentSpanId, resource },
    startNanoseconds: BigInt(span.startTimeUnixNano),
    endNanoseconds: BigInt(span.endTimeUnixNano),
    attributes: valuesOf(span.attributes),
    links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
    failed: span.status?.code === 2,
  };
}

function valuesOf(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
