interface QueueLimits {
  readonly anonymous: number;
  readonly known: number;
  /** Of the anonymous ones. */
  readonly perNetwork: number;
}

/** Whose task it is. */
export interface TaskOwner {
  readonly isKnown: boolean;
  readonly network: string;
}

type Task = () => Promise<void>;

/**
 * Runs one expensive task at a time. Tasks of known users go first and have a separate queue, so that a crowd of
 * anonymous clients does not keep them out; those of anonymous clients run in turns of their networks. While others
 * wait, it pauses after each task as long as the task took, so that it never uses more than half of a core, however many
 * are waiting.
 */
export class ThrottledQueue {
  readonly #limits: QueueLimits;
  readonly #known: Task[] = [];
  /** By network, in the order of their turns. */
  readonly #anonymous = new Map<string, Task[]>();
  #anonymousCount = 0;
  #isBusy = false;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  isFull({ isKnown, network }: TaskOwner): boolean {
    if (isKnown) return this.#known.length >= this.#limits.known;
    const own = this.#anonymous.get(network)?.length ?? 0;
    return this.#anonymousCount >= this.#limits.anonymous || own >= this.#limits.perNetwork;
  }

  /** The result, or null, immediately, if too many are already waiting. */
  add<T>(work: () => Promise<T>, owner: TaskOwner): Promise<T> | null {
    if (this.isFull(owner)) return null;
    return new Promise((resolve, reject) => {
      this.#queueOf(owner).push(() => work().then(resolve, reject));
      void this.#next();
    });
  }

  #queueOf({ isKnown, network }: TaskOwner): Task[] {
    if (isKnown) return this.#known;
    this.#anonymousCount += 1;
    const own = this.#anonymous.get(network) ?? [];
    this.#anonymous.set(network, own);
    return own;
  }

  async #next(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let work = this.#shift(); work !== undefined; work = this.#shift()) {
      const startedMs = performance.now();
      await work();
      if (this.#known.length + this.#anonymousCount > 0) await rest(performance.now() - startedMs);
    }
    this.#isBusy = false;
  }

  #shift(): Task | undefined {
    const known = this.#known.shift();
    const [turn] = this.#anonymous;
    if (known !== undefined || turn === undefined) return known;
    const [network, own] = turn;
    this.#anonymousCount -= 1;
    const task = own.shift();
    // The next turn of this network comes after those of all others.
    this.#anonymous.delete(network);
    if (own.length > 0) this.#anonymous.set(network, own);
    return task;
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
