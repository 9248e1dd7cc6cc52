import { StreamedResponse } from "../http/streamed-response.ts";
import type { OrganizationContext } from "./context.ts";
import { Shares } from "./shares.ts";

/** Each reads from the database for as long as its caller takes. */
const exportLimits = { perCaller: 4, perOrganization: 4, inAll: 24 };
const exports = new Shares(exportLimits, "too_many_exports");

export interface ExportedFile {
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
  const leave = exports.enter(context);
  try {
    await file.begin?.();
  } catch (error) {
    leave();
    throw error;
  }
  // A caller who leaves before the response has started does not cancel its body.
  context.request.signal.addEventListener("abort", leave, { once: true });
  if (context.request.signal.aborted) leave();
  return new StreamedResponse(streamOf(file.parts, leave), { headers });
}

function streamOf(parts: ExportedFile["parts"], ended: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await parts.next();
          if (!done) {
            controller.enqueue(encoder.encode(value));
            return;
          }
          ended();
          controller.close();
        } catch (error) {
          ended();
          throw error;
        }
      },
      cancel: async () => {
        ended();
        await parts.return();
      },
    },
    { highWaterMark: 0 },
  );
}
