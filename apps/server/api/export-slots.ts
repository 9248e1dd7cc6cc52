import type { OrganizationContext } from "./context.ts";

import { type ShareLimits, Shares } from "./shares.ts";

/** An export whose caller has not taken the last piece for this long can be cut for any organization. */
const stalledMs = 10_000;

/** The slot of an export. */
export interface ExportSlot {
  /** The caller has taken the last piece: what follows is up to the server. */
  pieceAsked(): void;
  /** What follows is up to the caller. */
  pieceSent(): void;
  end(): void;
}

interface Export {
  readonly organizationId: string;
  readonly cut: () => void;
  readonly end: () => void;
  /** Since when its caller has not taken the last piece; null while the server makes one. */
  untakenSinceMs: number | null;
}

/**
 * Limits how many exports are in progress. If there is no room for another in all, an organization with more than the
 * new one's loses one, or else one ends whose caller takes nothing: so neither many exports nor unread ones keep others
 * out, and one that makes progress is not cut for an organization that would have as many.
 */
export class ExportSlots {
  readonly #shares: Shares;
  readonly #now: () => number;
  /** The oldest first. */
  readonly #exports = new Set<Export>();
  #cut = 0;

  constructor(limits: ShareLimits, now: () => number = () => performance.now()) {
    this.#shares = new Shares(limits, "too_many_exports", (organizationId) => this.#makeRoom(organizationId));
    this.#now = now;
  }

  get use() {
    const { inUse, limit, refused } = this.#shares.use;
    return { inUse, limit, refused: refused + this.#cut };
  }

  /** `cut` is called at most once, and ends it. */
  enter(context: OrganizationContext, cut: () => void): ExportSlot {
    const leave = this.#shares.enter(context);
    const entered: Export = {
      organizationId: context.organization.id,
      cut,
      end: () => {
        this.#exports.delete(entered);
        leave();
      },
      untakenSinceMs: null,
    };
    this.#exports.add(entered);
    return {
      pieceAsked: () => {
        entered.untakenSinceMs = null;
      },
      pieceSent: () => {
        entered.untakenSinceMs = this.#now();
      },
      end: entered.end,
    };
  }

  #makeRoom(organizationId: string): void {
    const loser = this.#loserTo(organizationId);
    if (loser === null) return;
    this.#cut += 1;
    loser.end();
    loser.cut();
  }

  /** Of organizations that keep as many as the new one gets, if there are any. */
  #loserTo(newOrganizationId: string): Export | null {
    const counts = new Map<string, number>();
    for (const { organizationId } of this.#exports)
      counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
    const countOf = (organizationId: string) => counts.get(organizationId) ?? 0;
    const hasMore = ({ organizationId }: Export) => countOf(organizationId) >= countOf(newOrganizationId) + 2;
    const most = Math.max(...counts.values());
    const stalledBeforeMs = this.#now() - stalledMs;
    const isStalled = (entry: Export) => sinceOf(entry) <= stalledBeforeMs;
    return (
      this.#longestUntaken((entry) => hasMore(entry) && isStalled(entry)) ??
      this.#longestUntaken((entry) => hasMore(entry) && countOf(entry.organizationId) === most) ??
      this.#longestUntaken(isStalled)
    );
  }

  /** Those that the server works on come last. */
  #longestUntaken(isConsidered: (entry: Export) => boolean): Export | null {
    let found: Export | null = null;
    for (const entry of this.#exports)
      if (isConsidered(entry) && (found === null || sinceOf(entry) < sinceOf(found))) found = entry;
    return found;
  }
}

function sinceOf({ untakenSinceMs }: Export): number {
  return untakenSinceMs ?? Number.POSITIVE_INFINITY;
}
