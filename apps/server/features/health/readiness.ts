import type { Store } from "@countersign/store/store";

const longestPingMs = 1_500;

/** Whether this node should be sent requests: the database answers, and the server is not on its way out. */
export class Readiness {
  readonly #store: Store;
  #draining = false;

  constructor(store: Store) {
    this.#store = store;
  }

  drain(): void {
    this.#draining = true;
  }

  async isReady(): Promise<boolean> {
    if (this.#draining) return false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), longestPingMs);
    });
    const answered = this.#store.ping().then(
      () => true,
      () => false,
    );
    const ready = await Promise.race([answered, tooLate]);
    clearTimeout(timer);
    return ready;
  }
}
