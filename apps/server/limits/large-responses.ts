import { FairQueue, type FairQueueLimits, type Party } from "./fair-queue.ts";

/** A response that is being taken. */
export interface LargeResponse {
  /** The caller has taken the last piece: what follows is up to the server. */
  pieceAsked(): void;
  /** What follows is up to the caller. */
  pieceSent(): void;
  end(): void;
}

interface Begun extends LargeResponse {
  readonly party: Party;
  readonly cut: () => void;
  /** Since when its caller has not taken the last piece; infinite while the server makes one. */
  untakenSinceMs: number;
}

/** Long enough for a piece of 64 KiB at 128 kbit/s. */
const stalledMs = 4_000;
const checkEveryMs = 250;

/**
 * Admits large responses before they begin, in turns of those who ask, so that what has begun arrives whole. Only while
 * another waits for its room does one end whose caller takes nothing.
 */
export class LargeResponses {
  readonly #limits: FairQueueLimits;
  readonly #now: () => number;
  readonly #queue: FairQueue;
  readonly #begun = new Set<Begun>();
  #cut = 0;
  #check: ReturnType<typeof setInterval> | null = null;

  constructor(limits: FairQueueLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#queue = new FairQueue(limits, now);
  }

  /** Refused are those for which there was no room, and those that have ended for others. */
  get use() {
    const { inUse, limit, refused } = this.#queue.admittedUse;
    return { inUse, limit, refused: refused + this.#queue.waitingUse.refused + this.#cut };
  }

  /** Waits for room; null if there is none. `cut` is called at most once, and ends it. */
  async enter(party: Party, cut: () => void): Promise<LargeResponse | null> {
    const entered = this.#queue.enter(party);
    if (entered instanceof Promise) this.#check ??= setInterval(() => this.#endStalled(), checkEveryMs);
    const slot = await entered;
    return slot === null ? null : this.#begin(party, cut, slot.end);
  }

  /** For a response that cannot be refused any more. If there is no room, the most stalled one in its way ends. */
  enterAtOnce(party: Party, cut: () => void): LargeResponse {
    // Before another one ends, so that none that waits takes its room.
    const slot = this.#queue.enterAtOnce(party);
    const [mostStalled] = this.#inTheWayOf(party).toSorted(mostStalledFirst);
    if (mostStalled !== undefined) this.#endEarly(mostStalled);
    return this.#begin(party, cut, slot.end);
  }

  #begin(party: Party, cut: () => void, endSlot: () => void): LargeResponse {
    const begun: Begun = {
      ...{ party, cut, untakenSinceMs: Number.POSITIVE_INFINITY },
      pieceAsked: () => {
        begun.untakenSinceMs = Number.POSITIVE_INFINITY;
      },
      pieceSent: () => {
        begun.untakenSinceMs = this.#now();
      },
      end: () => {
        this.#begun.delete(begun);
        endSlot();
      },
    };
    this.#begun.add(begun);
    return begun;
  }

  #endStalled(): void {
    const stalledBeforeMs = this.#now() - stalledMs;
    for (const begun of [...this.#begun])
      if (begun.untakenSinceMs <= stalledBeforeMs && this.#queue.isAwaited(begun.party))
        this.#endEarly(begun);
    if (this.#queue.waitingUse.inUse > 0 || this.#check === null) return;
    clearInterval(this.#check);
    this.#check = null;
  }

  #endEarly(begun: Begun): void {
    this.#cut += 1;
    begun.cut();
    begun.end();
  }

  /** Those that use up the limit which a party has reached. */
  #inTheWayOf({ network, client }: Party): readonly Begun[] {
    const { inAll, perNetwork, perClient } = this.#limits.admitted;
    const all = [...this.#begun];
    const ofNetwork = all.filter(({ party }) => party.network === network);
    const ofClient = ofNetwork.filter(({ party }) => party.client === client);
    if (ofClient.length >= perClient) return ofClient;
    if (ofNetwork.length >= perNetwork) return ofNetwork;
    return all.length >= inAll ? all : [];
  }
}

/** Two that are both infinite are alike. */
function mostStalledFirst(a: Begun, b: Begun): number {
  return a.untakenSinceMs === b.untakenSinceMs ? 0 : a.untakenSinceMs - b.untakenSinceMs;
}
