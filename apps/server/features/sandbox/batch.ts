import { hashApiKey, sameHash } from "@countersign/domain/products/api-key";
import type { JournalEntry } from "@countersign/store/journal";
import { type SandboxCallerRow, sandboxCallers } from "@countersign/store/queries/sandbox/keys";
import type { Store } from "@countersign/store/store";
import type { CallQueue, WaitingCall } from "../validate/batch.ts";
import type { RequestObservers } from "../validate/public-call.ts";
import { SandboxProduct } from "./product.ts";

/**
 * Small, so that real requests which arrive meanwhile are answered in between. One at a time, so that a flood of sandbox
 * requests takes no more than one connection.
 */
const maxAtOnce = 32;

/** The products with these test API keys, and the time. */
type SandboxCallers = (publicIds: readonly string[]) => Promise<{
  readonly rows: readonly SandboxCallerRow[];
  readonly nowMs: number;
}>;

export function storedCallers(store: Store): SandboxCallers {
  return async (publicIds) => {
    const nowMs = await store.clock();
    return { rows: await sandboxCallers(store.reads, publicIds), nowMs };
  };
}

/**
 * Answers calls with a test API key. Those that arrive in one event loop iteration are authenticated together, with one
 * query that starts after they arrived: a replaced key stops working on every node at once. Nothing is written.
 */
export class SandboxBatcher implements CallQueue {
  readonly #callers: SandboxCallers;
  readonly #failed: (calls: number, cause: unknown) => void;
  #waiting: WaitingCall[] = [];
  #inFlight = 0;
  #scheduled = false;

  constructor(callers: SandboxCallers, failed: (calls: number, cause: unknown) => void) {
    this.#callers = callers;
    this.#failed = failed;
  }

  submit(call: WaitingCall): void {
    this.#waiting.push(call);
    this.#schedule();
  }

  get size(): number {
    return this.#waiting.length + this.#inFlight;
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    // After this iteration's input has been read: bodies that came with their headers are complete by then.
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    const batch = this.#waiting.splice(0, maxAtOnce);
    this.#inFlight = batch.length;
    let answered = 0;
    try {
      const products = await this.#products(batch);
      for (const call of batch) {
        answered += 1;
        answer(call, products.get(call.apiKey.publicId));
      }
    } catch (cause) {
      this.#failed(batch.length - answered, cause);
      for (const call of batch.slice(answered)) call.failed();
    } finally {
      this.#inFlight = 0;
      this.#scheduled = false;
      this.#schedule();
    }
  }

  async #products(batch: readonly WaitingCall[]): Promise<ReadonlyMap<string, KnownProduct>> {
    const publicIds = new Set(batch.map((call) => call.apiKey.publicId));
    const { rows, nowMs } = await this.#callers([...publicIds]);
    return new Map(
      rows.map((row) => [
        row.public_id,
        { hash: hashApiKey(row.api_key), product: new SandboxProduct(row, nowMs) },
      ]),
    );
  }
}

interface KnownProduct {
  readonly hash: string;
  readonly product: SandboxProduct;
}

function answer(call: WaitingCall, known: KnownProduct | undefined): void {
  if (known === undefined || !sameHash(known.hash, call.apiKey.hash)) {
    call.finish({ tag: "unauthorized" });
    return;
  }
  const result = known.product.answer(call.question());
  if (result === "unavailable") call.failed();
  else call.finish(result);
}

/** Reports requests to the sandbox so that they do not distort what is known about real ones. */
export function sandboxObservers(live: RequestObservers): RequestObservers {
  return {
    count: (endpoint) => live.count(endpoint, "sandbox"),
    took: () => {},
    record: (entry) => live.record(asSandbox(entry)),
  };
}

/** About no license, and no sighting of an IP address. */
function asSandbox(entry: JournalEntry): JournalEntry {
  return { ...entry, license_id: null, sandbox: 1, tracked: false };
}
