import { AsyncLocalStorage } from "node:async_hooks";
import { networkOf } from "../../../http/caller-ip.ts";

import { Problem } from "../../../http/problem.ts";

/** What OWASP recommends at least: 19 MiB and some 50 ms of a core for each password that is tried. */
const cost = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

const nobodyKnown: TaskOwner = { isKnown: false, network: networkOf(null) };
const owners = new AsyncLocalStorage<TaskOwner>();

/** Whose passwords are checked inside `work`: those of people who are signed in or on a known device go first. */
export function checkingPasswordsOf<T>(owner: TaskOwner, work: () => T): T {
  return owners.run(owner, work);
}

/** A password as it is stored, in the PHC format: algorithm, cost, salt and hash. */
export function hashPassword(password: string): Promise<string> {
  return queued(() => Bun.password.hash(composed(password), cost));
}

export function verifyPassword(password: string, stored: string): Promise<boolean> {
  return queued(() => Bun.password.verify(composed(password), stored));
}

/** Throws immediately if there is no capacity to check a password anyway. */
export function checkPasswordCapacity(owner: TaskOwner): void {
  if (queue.isFull(owner)) throw atCapacity();
}

async function queued<T>(work: () => Promise<T>): Promise<T> {
  const task = queue.add(work, owners.getStore() ?? nobodyKnown);
  if (task !== null) return task;
  throw atCapacity();
}

function atCapacity(): Problem {
  return new Problem("sign_in_busy", {}, { headers: { "retry-after": "5" } });
}

/** The same characters can be typed in more than one way; composed, they are the same bytes. */
function composed(password: string): string {
  return password.normalize("NFKC");
}

interface QueueLimits {
  readonly anonymous: number;
  readonly known: number;
  /** Of the anonymous ones. */
  readonly perNetwork: number;
}

/** Whose task it is. */
interface TaskOwner {
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
    const ofNetwork = this.#anonymous.get(network)?.length ?? 0;
    return this.#anonymousCount >= this.#limits.anonymous || ofNetwork >= this.#limits.perNetwork;
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
    const queue = this.#anonymous.get(network) ?? [];
    this.#anonymous.set(network, queue);
    return queue;
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
    const [next] = this.#anonymous;
    if (known !== undefined || next === undefined) return known;
    const [network, queue] = next;
    this.#anonymousCount -= 1;
    const task = queue.shift();
    // The next turn of this network comes after those of all others.
    this.#anonymous.delete(network);
    if (queue.length > 0) this.#anonymous.set(network, queue);
    return task;
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const limits = { anonymous: 24, known: 12, perNetwork: 8 };

/**
 * One at a time for the whole process, on another thread. It is the most expensive operation that an anonymous client
 * can cause, so a flood takes at most half of one core, and the rest of the flood is rejected.
 */
const queue = new ThrottledQueue(limits);
