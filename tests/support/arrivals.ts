import { EventEmitter, once } from "node:events";
import { within } from "./until.ts";

/** What has arrived, and a way to wait for more without polling. */
export class Arrivals<T> {
  readonly all: T[] = [];
  readonly #changes = new EventEmitter().setMaxListeners(0);

  add(...arrived: readonly T[]): void {
    this.all.push(...arrived);
    this.#changes.emit("change");
  }

  /** The first like this, which may have arrived already. Fails with `what` a little before the deadline of a test. */
  first(what: string, is: (one: T) => boolean): Promise<T> {
    return within(45_000, what, this.#next(is));
  }

  async #next(is: (one: T) => boolean): Promise<T> {
    for (;;) {
      const found = this.all.find(is);
      if (found !== undefined) return found;
      await once(this.#changes, "change");
    }
  }
}
