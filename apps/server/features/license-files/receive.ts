import { fileBody } from "@countersign/contract/body-limit";
import { addPiece } from "@countersign/store/queries/imports";
import type { Store } from "@countersign/store/store";
import { FileProblem, type RowReader } from "./rows.ts";

export const mostBytes = fileBody.bytes;
/** Long enough that the file is in few pieces, short enough that writing one down holds up nobody. */
const pieceLength = 512 * 1024;

/** How often it is said that the file still arrives, well within the time that an import is left alone for. */
const stillHereEveryMs = 2_000;

/** The file is larger than what is taken. */
export class FileTooLarge extends Error {}

/**
 * Writes a file down as it arrives. `header` reads along until it has seen the first row, so that a file that cannot be
 * right is refused at once. Returns how many bytes there were.
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
    if (number === 0) header.read(piece);
    await store.transaction((db) => addPiece(db, importId, number, piece));
    number += 1;
  };
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new FileTooLarge();
    // By time and not by pieces: over a slow line one piece takes longer than an import is left alone for.
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
  // With all of it at hand, also a first row that no line break ends has been seen.
  if (number <= 1) header.end();
  return bytes;
}

/** Not between the two halves of one character: each piece is kept as a text of its own. */
function characterEnd(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code < 0xdc00 ? at - 1 : at;
}

function decoded(decoder: TextDecoder, chunk: Uint8Array | null, bytes: number): string {
  let text: string;
  try {
    text = chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw new FileProblem(
      `The file is not UTF-8: what stands before byte ${bytes} is no character. Save it as UTF-8 and send it again.`,
    );
  }
  if (text.includes("\0"))
    throw new FileProblem("The file holds NUL characters. Save it as UTF-8 text and send it again.");
  return text;
}
