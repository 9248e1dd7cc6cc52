/** How many sends are under way at once, on one node. */
export interface LaneSizes {
  readonly overall: number;
  readonly perEndpoint: number;
  /** For endpoints that gave no answer last, all together: what hangs must leave room for what does not. */
  readonly troubled: number;
}

export const laneSizes: LaneSizes = { overall: 512, perEndpoint: 8, troubled: 256 };

/** `refused` is a quick no, which holds up nobody; `silence` is none, or one that was long in coming. */
export type Ending = "success" | "refused" | "silence";

interface Lane {
  underWay: number;
  /** One at first; every success doubles it, and silence takes it back. */
  width: number;
  isTroubled: boolean;
}

/** A lane for each endpoint, so that one that never answers stands only in its own way. */
export class Lanes {
  readonly #sizes: LaneSizes;
  readonly #lanes = new Map<string, Lane>();
  #underWay = 0;
  #troubledUnderWay = 0;

  constructor(sizes: LaneSizes = laneSizes) {
    this.#sizes = sizes;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** How many more may be sent to an endpoint now. `isFailing` is what the database knows of it. */
  room(endpointId: string, isFailing: boolean): number {
    const lane = this.#lanes.get(endpointId);
    const { overall, troubled } = this.#sizes;
    const isTroubled = lane?.isTroubled ?? isFailing;
    const free = overall - this.#underWay;
    const shared = isTroubled ? Math.min(free, troubled - this.#troubledUnderWay) : free;
    return Math.max(0, Math.min(shared, (lane?.width ?? 1) - (lane?.underWay ?? 0)));
  }

  begin(endpointId: string, isFailing: boolean): void {
    const lane = this.#lanes.get(endpointId) ?? { underWay: 0, width: 1, isTroubled: isFailing };
    this.#lanes.set(endpointId, lane);
    lane.underWay += 1;
    this.#underWay += 1;
    if (lane.isTroubled) this.#troubledUnderWay += 1;
  }

  end(endpointId: string, ending: Ending): void {
    const lane = this.#lanes.get(endpointId);
    if (lane === undefined) return;
    if (lane.isTroubled) this.#troubledUnderWay -= 1;
    lane.underWay -= 1;
    this.#underWay -= 1;
    if (ending !== "refused") this.#judge(lane, ending === "silence");
    if (ending === "success") lane.width = Math.min(this.#sizes.perEndpoint, lane.width * 2);
    if (ending === "silence") lane.width = 1;
    // What is left of an idle lane is only how wide it was.
    if (lane.underWay === 0 && (lane.isTroubled || this.#lanes.size > mostIdle))
      this.#lanes.delete(endpointId);
  }

  #judge(lane: Lane, isTroubled: boolean): void {
    if (lane.isTroubled === isTroubled) return;
    lane.isTroubled = isTroubled;
    this.#troubledUnderWay += isTroubled ? lane.underWay : -lane.underWay;
  }
}

const mostIdle = 10_000;
