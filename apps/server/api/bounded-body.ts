import { type BodyLimit, deepestBody, sizeInWords } from "@countersign/contract/api/body-limit";
import { fieldFault } from "@countersign/contract/problems/problems";
import { JsonBounds, type JsonExcess } from "@countersign/domain/json/bounds";
import { invalidField, Problem } from "../http/problem.ts";

interface BodyBounds {
  readonly bytes: number;
  /** The time limit for all of it. */
  readonly totalMs: number;
}

/** Shorter than the idle limit of a connection, so that the caller gets a response. */
const idleMs = 8_000;

/** Long enough for slow connections, and no longer than the size justifies. */
export function bodyBounds(bytes: number): BodyBounds {
  const slowestBytesPerSecond = 64 * 1024;
  return { bytes, totalMs: 10_000 + (bytes / slowestBytesPerSecond) * 1_000 };
}

/**
 * The body in chunks, counted as it arrives. A body that is too large, too slow or cut off is a client error; the rest
 * of it is never read.
 */
export async function* boundedBody(request: Request, bounds: BodyBounds): AsyncGenerator<Uint8Array, void> {
  if (Number(request.headers.get("content-length") ?? 0) > bounds.bytes) throw tooLarge(bounds);
  if (request.body === null) return;
  const reader = request.body.getReader();
  let isLate = false;
  const giveUp = () => {
    isLate = true;
    reader.cancel().catch(ignore);
  };
  const total = setTimeout(giveUp, bounds.totalMs);
  let isWhole = false;
  let bytes = 0;
  try {
    for (;;) {
      const idle = setTimeout(giveUp, idleMs);
      const piece = await reader.read().catch((error) => {
        isLate ||= error instanceof BodyTooSlow;
      });
      clearTimeout(idle);
      if (isLate) throw tooSlow();
      if (piece === undefined) throw brokenOff();
      if (piece.done) {
        isWhole = true;
        return;
      }
      bytes += piece.value.byteLength;
      if (bytes > bounds.bytes) throw tooLarge(bounds);
      yield piece.value;
    }
  } finally {
    clearTimeout(total);
    if (!isWhole) reader.cancel().catch(ignore);
  }
}

/** Others need the memory that the rest of the body would take. */
export class BodyTooSlow extends Error {
  constructor() {
    super("The body did not arrive soon enough.");
  }
}

/** What follows on the connection is the rest of a body that nobody reads. */
export const closeConnection = { connection: "close" };

function tooLarge(bounds: BodyBounds): Problem {
  return new Problem("body_too_large", { limit: sizeInWords(bounds) }, { headers: closeConnection });
}

function tooSlow(): Problem {
  return new Problem("body_too_slow", {}, { headers: closeConnection });
}

function brokenOff(): Problem {
  return new Problem("body_incomplete", {}, { headers: closeConnection });
}

function ignore(): undefined {}

interface JsonBody {
  readonly value: unknown;
  readonly text: string;
}

/** The body as JSON; null if there is none. Its size, depth and number of values are bounded before it is parsed. */
export async function readJsonBody(request: Request, limit: BodyLimit): Promise<JsonBody | null> {
  if (request.body === null || request.headers.get("content-length") === "0") return null;
  if (mediaType(request) !== "application/json")
    throw new Problem("wrong_content_type", { expected: "application/json" });
  const bounds = new JsonBounds({ depth: deepestBody, values: limit.values });
  const pieces: Uint8Array[] = [];
  for await (const piece of boundedBody(request, bodyBounds(limit.bytes))) {
    const excess = bounds.read(piece);
    if (excess !== null) throw beyond(excess, limit);
    pieces.push(piece);
  }
  const text = decoded(Buffer.concat(pieces));
  return text === "" ? null : { value: parsed(text), text };
}

export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

function beyond(excess: JsonExcess, { values }: BodyLimit): Problem {
  const fault =
    excess === "too_deep"
      ? fieldFault("too_deep", { max: deepestBody })
      : fieldFault("too_many_values", { max: values });
  return invalidField("body", fault, closeConnection);
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Problem("not_utf8");
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem("malformed_json");
  }
}
