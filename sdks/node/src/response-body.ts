import { ConnectionError } from "./errors.ts";

/** No Countersign response is longer than this. */
const maxBytes = 1024 * 1024;

/** The body, after decompression. Stops at the limit, so that a small compressed body cannot fill the memory. */
export async function readBody(response: Response): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      reader.cancel().catch(() => undefined);
      throw new ConnectionError(
        `The response is larger than ${maxBytes} bytes, so it is not from a Countersign server.`,
      );
    }
    parts.push(value);
  }
  const body = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    body.set(part, offset);
    offset += part.length;
  }
  return body;
}
