/** Who a request is from, as far as that is known before anyone has looked at it. */
export interface Party {
  /** The caller's IP address, or its network. */
  readonly network: string;
  /** What tells the clients of a network apart, such as their credentials. */
  readonly client: string;
}

export interface FairQueueLimits {
  /** How many requests are admitted at a time. */
  readonly admitted: Shares;
  /** How many wait at a time. */
  readonly waiting: Shares;
  /** How long a request waits before it is refused. */
  readonly waitTimeoutMs: number;
}

interface Shares {
  readonly inAll: number;
  readonly perNetwork: number;
  readonly perClient: number;
}

/** The slot of a request. */
export interface Slot {
  /** Lets another request have it. */
  pause(): void;
  /** Lets a request of another client have it. */
  pauseForOthers(): void;
  /** Takes one again, without waiting: the request has begun and cannot be refused any more. */
  resume(): void;
  end(): void;
}

interface Waiting {
  readonly untilMs: number;
  readonly admit: (slot: Slot | null) => void;
}

interface Network {
  readonly name: string;
  readonly clients: Map<string, Client>;
  /** Its clients that have waiting requests, in the order of their turns. */
  readonly turns: Set<Client>;
  admitted: number;
  waiting: number;
}

interface Client {
  readonly name: string;
  readonly network: Network;
  readonly waiting: Waiting[];
  /** Requests with a slot, paused or not. */
  slots: number;
  admitted: number;
}

const sweepEveryMs = 250;

/**
 * Admits requests in turns: one of each network, and within a network one of each client. A party that sends many delays
 * its own, and always leaves slots to others.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #now: () => number;
  readonly #networks = new Map<string, Network>();
  /** Those that have waiting requests. */
  readonly #turns = new Set<Network>();
  #admitted = 0;
  #waiting = 0;
  #refusedLate = 0;
  #refusedAtOnce = 0;
  #sweep: ReturnType<typeof setInterval> | null = null;

  constructor(limits: FairQueueLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Those that are served. Refused are those that have waited for too long. */
  get admittedUse() {
    return { inUse: this.#admitted, limit: this.#limits.admitted.inAll, refused: this.#refusedLate };
  }

  /** Those that wait. Refused are those for which there was no room to wait. */
  get waitingUse() {
    return { inUse: this.#waiting, limit: this.#limits.waiting.inAll, refused: this.#refusedAtOnce };
  }

  /** How many networks are remembered. */
  get size(): number {
    return this.#networks.size;
  }

  /** Null if it is refused: too many are waiting, or it has waited too long. */
  enter(party: Party): Slot | Promise<Slot | null> | null {
    const client = this.#client(party);
    if (client.waiting.length === 0 && this.#isFree(client)) return this.#admit(client);
    if (!this.#mayWait(client)) {
      this.#forget(client);
      this.#refusedAtOnce += 1;
      return null;
    }
    const { promise, resolve } = Promise.withResolvers<Slot | null>();
    client.waiting.push({ untilMs: this.#now() + this.#limits.waitTimeoutMs, admit: resolve });
    client.network.waiting += 1;
    this.#waiting += 1;
    client.network.turns.add(client);
    this.#turns.add(client.network);
    this.#sweep ??= setInterval(() => this.#refuseLate(), sweepEveryMs);
    return promise;
  }

  /** For what cannot wait and cannot be refused: takes a slot beyond the limits if it must. */
  enterAtOnce(party: Party): Slot {
    return this.#admit(this.#client(party));
  }

  /** Whether a request waits for a slot that this party has. */
  isAwaited({ network: networkName, client: name }: Party): boolean {
    const network = this.#networks.get(networkName);
    const client = network?.clients.get(name);
    if (network === undefined || client === undefined) return false;
    const { inAll, perNetwork, perClient } = this.#limits.admitted;
    if (client.waiting.length > 0 && client.admitted >= perClient) return true;
    if (network.waiting > 0 && network.admitted >= perNetwork) return true;
    return this.#waiting > 0 && this.#admitted >= inAll;
  }

  #isFree(client: Client): boolean {
    const { inAll, perNetwork, perClient } = this.#limits.admitted;
    return this.#admitted < inAll && client.network.admitted < perNetwork && client.admitted < perClient;
  }

  #mayWait(client: Client): boolean {
    const { inAll, perNetwork, perClient } = this.#limits.waiting;
    return this.#waiting < inAll && client.network.waiting < perNetwork && client.waiting.length < perClient;
  }

  #admit(client: Client): Slot {
    const held = { inAll: 0, ofClient: 0 };
    const hold = (inAll: 0 | 1, ofClient: 0 | 1) => {
      const [change, changeOfClient] = [inAll - held.inAll, ofClient - held.ofClient];
      Object.assign(held, { inAll, ofClient });
      this.#admitted += change;
      client.network.admitted += change;
      client.admitted += changeOfClient;
      if (change < 0 || changeOfClient < 0) this.#admitNext();
    };
    let isOver = false;
    client.slots += 1;
    hold(1, 1);
    return {
      pause: () => hold(0, 0),
      pauseForOthers: () => {
        if (!isOver) hold(0, 1);
      },
      resume: () => {
        if (!isOver) hold(1, 1);
      },
      end: () => {
        if (isOver) return;
        isOver = true;
        client.slots -= 1;
        hold(0, 0);
        this.#forget(client);
      },
    };
  }

  #admitNext(): void {
    for (let client = this.#next(); client !== null; client = this.#next())
      this.#takeFirst(client)?.admit(this.#admit(client));
  }

  /** Whose turn it is; null if nobody can be admitted. The next turn of a party comes after those of all others. */
  #next(): Client | null {
    const { inAll, perNetwork, perClient } = this.#limits.admitted;
    if (this.#admitted >= inAll) return null;
    for (const network of this.#turns) {
      if (network.admitted >= perNetwork) continue;
      for (const client of network.turns) {
        if (client.admitted >= perClient) continue;
        network.turns.delete(client);
        network.turns.add(client);
        this.#turns.delete(network);
        this.#turns.add(network);
        return client;
      }
    }
    return null;
  }

  #takeFirst(client: Client): Waiting | undefined {
    const { network, waiting } = client;
    const first = waiting.shift();
    network.waiting -= 1;
    this.#waiting -= 1;
    if (waiting.length === 0) network.turns.delete(client);
    if (network.turns.size === 0) this.#turns.delete(network);
    if (this.#waiting === 0 && this.#sweep !== null) {
      clearInterval(this.#sweep);
      this.#sweep = null;
    }
    return first;
  }

  #refuseLate(): void {
    const nowMs = this.#now();
    const waiting = [...this.#turns].flatMap(({ turns }) => [...turns]);
    for (const client of waiting) {
      while ((client.waiting[0]?.untilMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
        this.#refusedLate += 1;
        this.#takeFirst(client)?.admit(null);
      }
      this.#forget(client);
    }
  }

  #client({ network: networkName, client: name }: Party): Client {
    let network = this.#networks.get(networkName);
    if (network === undefined) {
      network = { name: networkName, clients: new Map(), turns: new Set(), admitted: 0, waiting: 0 };
      this.#networks.set(networkName, network);
    }
    let client = network.clients.get(name);
    if (client === undefined) {
      client = { name, network, waiting: [], slots: 0, admitted: 0 };
      network.clients.set(name, client);
    }
    return client;
  }

  /** Who has no requests is not remembered. */
  #forget(client: Client): void {
    const { network, name, slots, waiting } = client;
    if (slots > 0 || waiting.length > 0) return;
    network.clients.delete(name);
    if (network.clients.size === 0) this.#networks.delete(network.name);
  }
}
