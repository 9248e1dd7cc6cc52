import { minuteMs } from "@countersign/domain/dates/lengths";
import type { TraceSettings } from "@countersign/domain/traces/settings";
import { inBursts, type Log, reasonOf } from "../../base/log.ts";
import { otlpExport } from "./otlp.ts";
import type { SpanRecord } from "./span.ts";
import { SpanQueue } from "./span-queue.ts";
import { Tracer } from "./tracer.ts";

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
