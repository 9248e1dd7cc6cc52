import { fileBody } from "@countersign/contract/api/body-limit";
import { addPiece } from "@countersign/store/queries/license-files/imports";
import type { Store } from "@countersign/store/store";
import { FileProblem } from "./job.ts";
import { type RowReader, rowsOf } from "./rows.ts";

export const maxFileBytes = fileBody.bytes;
/** Large enough that the file has few chunks, small enough that writing one delays nobody. */
const pieceLength = 512 * 1024;

/**
 * How often progress is recorded while the file arrives, well within the time after which an import counts as
 * abandoned.
 */
const stillHereEveryMs = 2_000;

/** The file exceeds the limit. */
export class FileTooLarge extends Error {}

/**
 * Stores a file as it arrives. `header` reads along until it has seen the first row, so that an invalid file is
 * rejected immediately. Returns the number of bytes.
 */
export async function receive(
  store: Store,
  importId: string,
  body: AsyncIterable<Uint8Array>,
  header: RowReader,
  stillHere: () => Promise<void>,
): Promise<number> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let bytes = 0;
  let number = 0;
  let pending = "";
  let lastSignMs = performance.now();
  const writeDown = async (piece: string) => {
    if (number === 0) for await (const _rows of rowsOf(header, piece));
    await store.transaction((db) => addPiece(db, importId, number, piece));
    number += 1;
  };
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxFileBytes) throw new FileTooLarge();
    // By time and not by chunk: over a slow connection one chunk takes longer than an import can be idle.
    if (performance.now() - lastSignMs > stillHereEveryMs) {
      await stillHere();
      lastSignMs = performance.now();
    }
    pending += decoded(decoder, chunk, bytes);
    while (pending.length >= pieceLength) {
      const end = characterEnd(pending, pieceLength);
      await writeDown(pending.slice(0, end));
      pending = pending.slice(end);
    }
  }
  pending += decoded(decoder, null, bytes);
  if (pending !== "") await writeDown(pending);
  // With the whole file, even a first row without a line break has been seen.
  if (number <= 1) header.end();
  return bytes;
}

/** Not between the two halves of a character: each chunk is stored as a separate text. */
function characterEnd(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code < 0xdc00 ? at - 1 : at;
}

function decoded(decoder: TextDecoder, chunk: Uint8Array | null, bytes: number): string {
  let text: string;
  try {
    text = chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw new FileProblem({ code: "file_not_utf8", params: { byte: bytes } });
  }
  if (text.includes("\0")) throw new FileProblem({ code: "file_has_nul", params: {} });
  return text;
}
