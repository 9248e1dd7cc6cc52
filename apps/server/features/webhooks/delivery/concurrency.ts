/** How many requests are in progress at a time, per node. */
interface ConcurrencyLimits {
  /** To endpoints that respond. */
  readonly healthy: number;
  /** For all endpoints that did not respond last, together: requests that hang must leave room for others. */
  readonly troubled: number;
  readonly perOrganization: number;
  readonly perEndpoint: number;
  /** The overall maximum: an endpoint may stop responding with many requests in progress. */
  readonly overall: number;
}

const concurrencyLimits: ConcurrencyLimits = {
  healthy: 384,
  troubled: 128,
  perOrganization: 128,
  perEndpoint: 32,
  overall: 1_024,
};

/** `refused` is a quick error response, which delays nobody; `silence` is none, or a slow one. */
export type Outcome = "success" | "refused" | "silence";

interface EndpointFacts {
  readonly id: string;
  readonly organization_id: string;
  /** What the database knows about it: since when every attempt has failed. */
  readonly failing_since: number | null;
}

/** After this long without any response, requests in progress count as trouble before they time out. */
const stalledMs = 2_000;
/** How much is claimed ahead: what can be sent in this time, based on the response times. */
const aheadMs = 1_000;
const maxAhead = 512;

interface EndpointLoad {
  readonly organizationId: string;
  inProgress: number;
  /** One at first; every success doubles it, and a timeout resets it. */
  width: number;
  isTroubled: boolean;
  /** The response time, weighted towards recent ones; null before the first success. */
  answerMs: number | null;
  /** When something was last started with nothing in progress, or ended. */
  movedMs: number;
}

/** Concurrency per endpoint, so that one that never responds only delays itself. */
export class DeliveryConcurrency {
  readonly #sizes: ConcurrencyLimits;
  readonly #endpoints = new Map<string, EndpointLoad>();
  readonly #perOrganization = new Map<string, number>();
  #inProgress = 0;
  #troubledInProgress = 0;

  constructor(sizes: ConcurrencyLimits = concurrencyLimits) {
    this.#sizes = sizes;
  }

  get inProgress(): number {
    return this.#inProgress;
  }

  /** How many more requests can be sent to an endpoint now. */
  room(endpoint: EndpointFacts): number {
    const load = this.#endpoints.get(endpoint.id);
    const { healthy, troubled, perOrganization, overall } = this.#sizes;
    const isTroubled = load?.isTroubled ?? endpoint.failing_since !== null;
    const pool = isTroubled
      ? troubled - this.#troubledInProgress
      : healthy - (this.#inProgress - this.#troubledInProgress);
    const ofOrganization = perOrganization - (this.#perOrganization.get(endpoint.organization_id) ?? 0);
    const free = (load?.width ?? 1) - (load?.inProgress ?? 0);
    return Math.max(0, Math.min(pool, ofOrganization, free, overall - this.#inProgress));
  }

  /** How many more are worth claiming while others are in progress: those that will start within about a second. */
  ahead(endpointId: string): number {
    const load = this.#endpoints.get(endpointId);
    if (load === undefined || load.isTroubled || load.answerMs === null) return 0;
    return Math.min(maxAhead, Math.floor((load.width * aheadMs) / Math.max(1, load.answerMs)));
  }

  isTroubled(endpointId: string): boolean {
    return this.#endpoints.get(endpointId)?.isTroubled ?? false;
  }

  begin(endpoint: EndpointFacts, nowMs: number): void {
    const load = this.#endpoints.get(endpoint.id) ?? {
      organizationId: endpoint.organization_id,
      inProgress: 0,
      width: 1,
      isTroubled: endpoint.failing_since !== null,
      answerMs: null,
      movedMs: nowMs,
    };
    if (load.inProgress === 0) load.movedMs = nowMs;
    this.#endpoints.set(endpoint.id, load);
    this.#count(load, 1);
  }

  end(endpointId: string, outcome: Outcome, nowMs: number, durationMs: number): void {
    const load = this.#endpoints.get(endpointId);
    if (load === undefined) return;
    this.#count(load, -1);
    load.movedMs = nowMs;
    if (outcome !== "refused") this.#setTroubled(load, outcome === "silence");
    if (outcome === "success") {
      load.width = Math.min(this.#sizes.perEndpoint, load.width * 2);
      load.answerMs = load.answerMs === null ? durationMs : load.answerMs * 0.8 + durationMs * 0.2;
    }
    if (outcome === "silence") load.width = 1;
    // For an idle endpoint, only its concurrency is kept.
    if (load.inProgress === 0 && (load.isTroubled || this.#endpoints.size > maxIdleEndpoints))
      this.#endpoints.delete(endpointId);
  }

  /** An endpoint that has not responded for a while is in trouble, whatever it did before: others get its capacity. */
  detectStalled(nowMs: number): void {
    for (const load of this.#endpoints.values())
      if (load.inProgress > 0 && nowMs - load.movedMs > stalledMs) this.#setTroubled(load, true);
  }

  #count(load: EndpointLoad, change: 1 | -1): void {
    load.inProgress += change;
    this.#inProgress += change;
    if (load.isTroubled) this.#troubledInProgress += change;
    const count = (this.#perOrganization.get(load.organizationId) ?? 0) + change;
    if (count === 0) this.#perOrganization.delete(load.organizationId);
    else this.#perOrganization.set(load.organizationId, count);
  }

  #setTroubled(load: EndpointLoad, isTroubled: boolean): void {
    if (load.isTroubled === isTroubled) return;
    load.isTroubled = isTroubled;
    this.#troubledInProgress += isTroubled ? load.inProgress : -load.inProgress;
  }
}

const maxIdleEndpoints = 10_000;
