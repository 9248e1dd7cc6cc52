import type { SpanRecord } from "./tracer.ts";

/** How many spans wait to be exported; further ones are dropped and counted. */
const maxWaiting = 8_192;
const maxAtOnce = 512;
const everyMs = 1_000;
/** How long a server that stops waits for the last spans. */
const closeTimeoutMs = 1_500;

/** Sends spans. Rejects if they were not accepted. */
export type ExportSpans = (spans: readonly SpanRecord[]) => Promise<void>;

/**
 * Exports spans in batches, one at a time. Nothing waits for it: if the receiver is slow or down, spans are dropped and
 * counted.
 */
export class SpanQueue {
  readonly #export: ExportSpans;
  readonly #failed: (spans: number, cause: unknown) => void;
  #waiting: SpanRecord[] = [];
  #exporting: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isClosed = false;
  #exported = 0;
  #dropped = 0;

  constructor(exportSpans: ExportSpans, failed: (spans: number, cause: unknown) => void) {
    this.#export = exportSpans;
    this.#failed = failed;
  }

  get counts(): { readonly exported: number; readonly dropped: number } {
    return { exported: this.#exported, dropped: this.#dropped };
  }

  add(spans: readonly SpanRecord[]): void {
    const free = this.#isClosed ? 0 : maxWaiting - this.#waiting.length;
    const taken = spans.slice(0, free);
    this.#dropped += spans.length - taken.length;
    for (const span of taken) this.#waiting.push(span);
    if (this.#waiting.length >= maxAtOnce) this.#exportSoon(0);
    else if (this.#waiting.length > 0) this.#exportSoon(everyMs);
  }

  /** Exports what is left, for a moment. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, closeTimeoutMs);
    await Promise.race([this.#exportAll(), late.promise]);
    clearTimeout(timer);
  }

  #exportSoon(ms: number): void {
    if (this.#exporting !== null) return;
    if (this.#timer !== null && ms > 0) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#exportAll();
    }, ms);
  }

  #exportAll(): Promise<void> {
    this.#exporting ??= this.#exportWaiting().finally(() => {
      this.#exporting = null;
    });
    return this.#exporting;
  }

  async #exportWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const spans = this.#waiting.slice(0, maxAtOnce);
      this.#waiting = this.#waiting.slice(maxAtOnce);
      try {
        await this.#export(spans);
        this.#exported += spans.length;
      } catch (error) {
        this.#dropped += spans.length;
        this.#failed(spans.length, error);
      }
    }
  }
}
