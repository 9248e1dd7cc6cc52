import { parseTraceParent } from "@countersign/domain/traces/traceparent";
import type { Span, Tracer } from "./tracer.ts";

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
