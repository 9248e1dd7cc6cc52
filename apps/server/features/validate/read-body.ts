import { maxBodyBytes } from "./body.ts";
import type { ValidateCall } from "./call.ts";

/** Starts to read the body of a request for a call, and tells the call how it ends. */
export function readBodyInto(call: ValidateCall, request: Request): void {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBodyBytes) {
    call.bodyIs({ at: "too_large" });
    return;
  }
  const gone = () => call.bodyIs({ at: "gone" });
  if (declared !== null || request.body === null) {
    request.text().then((text) => call.bodyIs({ at: "here", text }), gone);
  } else {
    readChunks(request.body).then(
      (text) => call.bodyIs(text === null ? { at: "too_large" } : { at: "here", text }),
      gone,
    );
  }
}

/** A body of unknown length, or null as soon as it has grown too large. */
async function readChunks(body: ReadableStream<Uint8Array>): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBodyBytes) return null;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
