import type { TraceSettings } from "@countersign/domain/traces/settings";
import { RequestSpans } from "./request-spans.ts";
import { SpanSender } from "./span-sender.ts";
import { Tracer } from "./tracer.ts";

/** The traces of the validating thread. */
export interface RequestTraces {
  readonly spans: RequestSpans;
  readonly dropped: number;
  /** Passes what is left to the management worker. */
  flush(): Promise<void>;
}

/** `send` passes a list of spans as JSON to the management worker. */
export function openRequestTraces(
  { sampler }: TraceSettings,
  database: "sqlite" | "postgres",
  send: (json: string) => Promise<void>,
): RequestTraces {
  const sender = new SpanSender(send);
  return {
    spans: new RequestSpans(new Tracer(sampler, (span) => sender.keep(span)), database),
    get dropped() {
      return sender.dropped;
    },
    flush: () => sender.flush(),
  };
}
