import { maxBodyBytes } from "./body.ts";
import type { ValidateCall } from "./validate-call.ts";

/** Starts reading the body of a request, and reports the result to the call. */
export function readBodyInto(call: ValidateCall, request: Request): void {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBodyBytes) {
    call.bodyIs("too_large");
    return;
  }
  const gone = () => call.bodyIs("gone");
  if (declared !== null || request.body === null) {
    request.text().then((text) => call.bodyIs("here", text), gone);
  } else {
    readChunks(request.body).then(
      (text) => (text === null ? call.bodyIs("too_large") : call.bodyIs("here", text)),
      gone,
    );
  }
}

/** A body of unknown length, or null as soon as it exceeds the limit. */
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
