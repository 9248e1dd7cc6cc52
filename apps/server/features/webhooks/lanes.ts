/** How many requests are in progress at a time, per node. */
export interface LaneSizes {
  /** To endpoints that respond. */
  readonly healthy: number;
  /** For all endpoints that did not respond last, together: requests that hang must leave room for others. */
  readonly troubled: number;
  readonly perOrganization: number;
  readonly perEndpoint: number;
  /** The overall maximum: an endpoint may stop responding with many requests in progress. */
  readonly overall: number;
}

export const laneSizes: LaneSizes = {
  healthy: 384,
  troubled: 128,
  perOrganization: 128,
  perEndpoint: 32,
  overall: 1_024,
};

/** `refused` is a quick error response, which delays nobody; `silence` is none, or a slow one. */
export type Ending = "success" | "refused" | "silence";

export interface LaneOwner {
  readonly id: string;
  readonly organization_id: string;
  /** What the database knows about it: since when every attempt has failed. */
  readonly failing_since: number | null;
}

/** After this long without any response, requests in progress count as trouble before they time out. */
const stalledMs = 2_000;
/** How much is claimed ahead: what can be sent in this time, based on the response times. */
const aheadMs = 1_000;
const mostAhead = 512;

interface Lane {
  readonly organizationId: string;
  underWay: number;
  /** One at first; every success doubles it, and a timeout resets it. */
  width: number;
  isTroubled: boolean;
  /** The response time, weighted towards recent ones; null before the first success. */
  answerMs: number | null;
  /** When something was last started with nothing in progress, or ended. */
  movedMs: number;
}

/** Concurrency per endpoint, so that one that never responds only delays itself. */
export class Lanes {
  readonly #sizes: LaneSizes;
  readonly #lanes = new Map<string, Lane>();
  readonly #perOrganization = new Map<string, number>();
  #underWay = 0;
  #troubledUnderWay = 0;

  constructor(sizes: LaneSizes = laneSizes) {
    this.#sizes = sizes;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** How many more requests can be sent to an endpoint now. */
  room(owner: LaneOwner): number {
    const lane = this.#lanes.get(owner.id);
    const { healthy, troubled, perOrganization, overall } = this.#sizes;
    const isTroubled = lane?.isTroubled ?? owner.failing_since !== null;
    const pool = isTroubled
      ? troubled - this.#troubledUnderWay
      : healthy - (this.#underWay - this.#troubledUnderWay);
    const own = perOrganization - (this.#perOrganization.get(owner.organization_id) ?? 0);
    const free = (lane?.width ?? 1) - (lane?.underWay ?? 0);
    return Math.max(0, Math.min(pool, own, free, overall - this.#underWay));
  }

  /** How many more are worth claiming while others are in progress: those that will start within about a second. */
  ahead(endpointId: string): number {
    const lane = this.#lanes.get(endpointId);
    if (lane === undefined || lane.isTroubled || lane.answerMs === null) return 0;
    return Math.min(mostAhead, Math.floor((lane.width * aheadMs) / Math.max(1, lane.answerMs)));
  }

  isTroubled(endpointId: string): boolean {
    return this.#lanes.get(endpointId)?.isTroubled ?? false;
  }

  begin(owner: LaneOwner, nowMs: number): void {
    const lane = this.#lanes.get(owner.id) ?? {
      organizationId: owner.organization_id,
      underWay: 0,
      width: 1,
      isTroubled: owner.failing_since !== null,
      answerMs: null,
      movedMs: nowMs,
    };
    if (lane.underWay === 0) lane.movedMs = nowMs;
    this.#lanes.set(owner.id, lane);
    this.#count(lane, 1);
  }

  end(endpointId: string, ending: Ending, nowMs: number, durationMs: number): void {
    const lane = this.#lanes.get(endpointId);
    if (lane === undefined) return;
    this.#count(lane, -1);
    lane.movedMs = nowMs;
    if (ending !== "refused") this.#judge(lane, ending === "silence");
    if (ending === "success") {
      lane.width = Math.min(this.#sizes.perEndpoint, lane.width * 2);
      lane.answerMs = lane.answerMs === null ? durationMs : lane.answerMs * 0.8 + durationMs * 0.2;
    }
    if (ending === "silence") lane.width = 1;
    // For an idle endpoint, only its concurrency is kept.
    if (lane.underWay === 0 && (lane.isTroubled || this.#lanes.size > mostIdle))
      this.#lanes.delete(endpointId);
  }

  /** An endpoint that has not responded for a while is in trouble, whatever it did before: others get its capacity. */
  look(nowMs: number): void {
    for (const lane of this.#lanes.values())
      if (lane.underWay > 0 && nowMs - lane.movedMs > stalledMs) this.#judge(lane, true);
  }

  #count(lane: Lane, change: 1 | -1): void {
    lane.underWay += change;
    this.#underWay += change;
    if (lane.isTroubled) this.#troubledUnderWay += change;
    const own = (this.#perOrganization.get(lane.organizationId) ?? 0) + change;
    if (own === 0) this.#perOrganization.delete(lane.organizationId);
    else this.#perOrganization.set(lane.organizationId, own);
  }

  #judge(lane: Lane, isTroubled: boolean): void {
    if (lane.isTroubled === isTroubled) return;
    lane.isTroubled = isTroubled;
    this.#troubledUnderWay += isTroubled ? lane.underWay : -lane.underWay;
  }
}

const mostIdle = 10_000;
