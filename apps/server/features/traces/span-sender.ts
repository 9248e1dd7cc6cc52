import type { SpanRecord } from "./span.ts";

/** Nobody waits for these, and every message costs time on both sides. */
const gatherMs = 500;
/** How many spans are kept until the management worker has taken them; further ones are dropped and counted. */
const mostKept = 8_192;

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
    if (this.#sent + this.#gathered.length >= mostKept) {
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
