import type { TraceSettings } from "@countersign/domain/traces/settings";
import { parseTraceParent } from "@countersign/domain/traces/traceparent";
import { type Span, type SpanRecord, Tracer } from "./tracer.ts";

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

/** Nobody waits for these, and every message costs time on both sides. */
const gatherMs = 500;
/** How many spans are kept until the management worker has taken them; further ones are dropped and counted. */
const maxKept = 8_192;

/** Passes the spans of the validating thread to the management worker, which exports them. */
export class SpanSender {
  readonly #send: (json: string) => Promise<void>;
  #gathered: SpanRecord[] = [];
  /** How many were sent and not yet taken. */
  #sent = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #dropped = 0;

  /** `send` rejects if the worker is not running. */
  constructor(send: (json: string) => Promise<void>) {
    this.#send = send;
  }

  get dropped(): number {
    return this.#dropped;
  }

  keep(span: SpanRecord): void {
    if (this.#sent + this.#gathered.length >= maxKept) {
      this.#dropped += 1;
      return;
    }
    this.#timer ??= setTimeout(() => void this.flush(), gatherMs);
    this.#gathered.push(span);
  }

  /** Resolves when the worker has taken them, or cannot. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const spans = this.#gathered;
    if (spans.length === 0) return;
    this.#gathered = [];
    this.#sent += spans.length;
    try {
      await this.#send(JSON.stringify(spans));
    } catch {
      this.#dropped += spans.length;
    } finally {
      this.#sent -= spans.length;
    }
  }
}

const routes = {
  validate: ["POST", "/api/v1/validate"],
  lookup: ["GET", "/api/v1/license/{key}"],
} as const;

/**
 * The spans of the validating thread. They contain no license key, product, IP address or anything else about a
 * customer: the request ID leads to the request log, which has that.
 */
export class RequestSpans {
  readonly #tracer: Tracer;
  readonly #databaseSystem: string;

  constructor(tracer: Tracer, database: "sqlite" | "postgres") {
    this.#tracer = tracer;
    this.#databaseSystem = database === "postgres" ? "postgresql" : "sqlite";
  }

  /** Null if it is not sampled. `header` is the `traceparent` of the caller. */
  request(
    endpoint: keyof typeof routes,
    header: string | null,
    requestId: string,
    startedMs: number,
  ): Span | null {
    const [method, route] = routes[endpoint];
    const attributes = {
      "http.request.method": method,
      "http.route": route,
      "countersign.request_id": requestId,
    };
    return this.#tracer.start(
      `${method} ${route}`,
      "server",
      parseTraceParent(header),
      attributes,
      startedMs,
    );
  }

  /**
   * The time that a batch spends in the database. It is part of the first sampled request, and is linked with all
   * others. Null if none is sampled.
   */
  batch(calls: readonly { readonly span: Span | null }[]): Span | null {
    let batch: Span | null = null;
    for (const { span } of calls) {
      if (span === null) continue;
      if (batch === null)
        batch = this.#tracer.startChild("database batch", "client", span, {
          "db.system.name": this.#databaseSystem,
          "countersign.batch_size": calls.length,
        });
      else {
        batch.link(span);
        span.link(batch);
      }
    }
    return batch;
  }
}
