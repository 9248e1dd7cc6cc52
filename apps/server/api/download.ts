import { StreamedResponse } from "../http/streamed-response.ts";
import type { OrganizationContext } from "./context.ts";
import { type ExportSlot, ExportSlots } from "./export-slots.ts";

/** Each reads from the database for as long as its caller takes. */
const exportLimits = { perCaller: 4, perOrganization: 4, inAll: 24 };
export const exportSlots = new ExportSlots(exportLimits);

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
