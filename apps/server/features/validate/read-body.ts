import type { ValidateAsker } from "./asker.ts";
import { maxBodyBytes } from "./body.ts";

/** Starts to read the body of a request, and tells the one who asks with it how that ends. */
export function readBodyInto(asker: ValidateAsker, request: Request): void {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBodyBytes) {
    asker.bodyIs({ at: "too_large" });
    return;
  }
  const gone = () => asker.bodyIs({ at: "gone" });
  if (declared !== null || request.body === null) {
    request.text().then((text) => asker.bodyIs({ at: "here", text }), gone);
  } else {
    readChunks(request.body).then(
      (text) => asker.bodyIs(text === null ? { at: "too_large" } : { at: "here", text }),
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
