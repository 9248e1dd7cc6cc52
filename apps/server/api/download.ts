import { StreamedResponse } from "../http/response.ts";
import type { OrganizationContext } from "./context.ts";
import { type ShareLimits, Shares } from "./shares.ts";

interface ExportedFile {
  readonly name: string;
  readonly contentType: string;
  /** Its text, in parts of a few hundred rows. */
  readonly parts: AsyncGenerator<string, void>;
  /** Done once it is certain that the file is sent. */
  readonly begin?: () => Promise<void>;
}

/** An exported file, read while it is sent: as fast as its caller takes it, and never all in memory. */
export async function download(context: OrganizationContext, file: ExportedFile): Promise<Response> {
  const headers = {
    "content-type": file.contentType,
    "content-disposition": `attachment; filename="${file.name}"`,
    "cache-control": "no-store",
  };
  if (context.request.method === "HEAD") return new Response(null, { headers });
  const stream = new ExportStream(file.parts);
  const slot = exportSlots.enter(context, () => stream.cut());
  try {
    await file.begin?.();
  } catch (error) {
    slot.end();
    throw error;
  }
  // A caller who leaves before the response has started does not cancel its body.
  context.request.signal.addEventListener("abort", slot.end, { once: true });
  if (context.request.signal.aborted) slot.end();
  return new StreamedResponse(stream.open(slot), { headers });
}

class ExportStream {
  readonly #parts: ExportedFile["parts"];
  #into: ReadableStreamDefaultController<Uint8Array> | null = null;
  #isCut = false;

  constructor(parts: ExportedFile["parts"]) {
    this.#parts = parts;
  }

  /** Its reader gets an error, so that what it has read never passes for the whole file. */
  cut(): void {
    this.#isCut = true;
    this.#into?.error(new Error("The export made room for that of another organization."));
    void this.#parts.return().catch(() => undefined);
  }

  open(slot: ExportSlot): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#into = controller;
          if (this.#isCut) this.cut();
        },
        pull: async (controller) => {
          slot.pieceAsked();
          try {
            const { done, value } = await this.#parts.next();
            if (this.#isCut) return;
            if (!done) {
              controller.enqueue(encoder.encode(value));
              slot.pieceSent();
              return;
            }
            slot.end();
            controller.close();
          } catch (error) {
            slot.end();
            throw error;
          }
        },
        cancel: async () => {
          slot.end();
          await this.#parts.return();
        },
      },
      { highWaterMark: 0 },
    );
  }
}

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
      this.#maxUntaken((entry) => hasMore(entry) && isStalled(entry)) ??
      this.#maxUntaken((entry) => hasMore(entry) && countOf(entry.organizationId) === most) ??
      this.#maxUntaken(isStalled)
    );
  }

  /** Those that the server works on come last. */
  #maxUntaken(isConsidered: (entry: Export) => boolean): Export | null {
    let oldest: Export | null = null;
    for (const entry of this.#exports)
      if (isConsidered(entry) && (oldest === null || sinceOf(entry) < sinceOf(oldest))) oldest = entry;
    return oldest;
  }
}

function sinceOf({ untakenSinceMs }: Export): number {
  return untakenSinceMs ?? Number.POSITIVE_INFINITY;
}

/** Each reads from the database for as long as its caller takes. */
const exportLimits = { perCaller: 4, perOrganization: 4, inAll: 24 };
export const exportSlots = new ExportSlots(exportLimits);
