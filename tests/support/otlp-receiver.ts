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

// biome-ignore lint/suspicious/noExplicitAny: what is read of an export becomes the span above.
type Exported = any;

function spansOf({ body, headers }: Received): ReceivedSpan[] {
  if (headers["content-type"] !== "application/json") return [];
  return JSON.parse(body).resourceSpans.flatMap(({ resource, scopeSpans }: Exported) => {
    const spans = scopeSpans.flatMap((scope: Exported) => scope.spans);
    return spans.map((span: Exported) => ({ ...spanOf(span), resource: valuesOf(resource.attributes) }));
  });
}

function spanOf({ name, kind, traceId, spanId, parentSpanId = null, links = [], ...span }: Exported) {
  return {
    ...{ name, kind, traceId, spanId, parentSpanId },
    startNanoseconds: BigInt(span.startTimeUnixNano),
    endNanoseconds: BigInt(span.endTimeUnixNano),
    attributes: valuesOf(span.attributes),
    links: links.map((link: Exported) => ({ traceId: link.traceId, spanId: link.spanId })),
    failed: span.status?.code === 2,
  };
}

function valuesOf(attributes: readonly { readonly key: string; readonly value: object }[]) {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
