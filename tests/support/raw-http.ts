import { connect, type Socket } from "node:net";
import { within } from "./until.ts";

/** One response, as received. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A connection on which a test writes arbitrary bytes. */
export type RawConnection = ReturnType<typeof connection>;

export function openRaw(port: number, options: { localAddress?: string } = {}): Promise<RawConnection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", ...options, port });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(connection(socket));
    });
  });
}

/** Sends these bytes on a new connection and returns the first response. */
export async function exchange(
  port: number,
  bytes: string | Uint8Array,
  options: { toHead?: boolean; deadlineMs?: number } = {},
): Promise<RawAnswer | null> {
  const raw = await openRaw(port);
  raw.write(bytes);
  try {
    return await raw.answer(options);
  } finally {
    raw.close();
  }
}

function connection(socket: Socket) {
  let received = Buffer.alloc(0);
  let hasEnded = false;
  let wake = () => {};
  const closed = new Promise<void>((resolve) => {
    // A reset by the server counts as a close.
    for (const event of ["end", "close", "error"])
      socket.on(event, () => {
        hasEnded = true;
        wake();
        resolve();
      });
  });
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  const next = async (toHead: boolean): Promise<RawAnswer | null> => {
    for (;;) {
      const parsed = parseAnswer(received, toHead, hasEnded);
      if (parsed !== null) {
        received = received.subarray(parsed.length);
        return parsed.answer;
      }
      if (hasEnded) return null;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    write: (bytes: string | Uint8Array) => void socket.write(bytes),
    /** The next response. Null if the server closed the connection instead. */
    answer: ({ toHead = false, deadlineMs = 20_000 } = {}) =>
      within(deadlineMs, "an answer on the connection", next(toHead)),
    closed,
    /** Takes nothing more from the connection. */
    pause: () => void socket.pause(),
    close: () => void socket.destroy(),
  };
}

/** The response at the start, and its length. Null while it is incomplete. */
function parseAnswer(bytes: Buffer, toHead: boolean, hasEnded: boolean) {
  const headersEnd = bytes.indexOf("\r\n\r\n");
  if (headersEnd < 0) return null;
  const [statusLine = "", ...lines] = bytes.subarray(0, headersEnd).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const rest = bytes.subarray(headersEnd + 4);
  const hasBody = !toHead && status !== 204 && status !== 304 && status >= 200;
  const body = hasBody ? bodyOf(rest, headers, hasEnded) : { bytes: Buffer.alloc(0), length: 0 };
  if (body === null || rest.length < body.length) return null;
  return {
    answer: { status, headers, body: body.bytes.toString("utf8") },
    length: headersEnd + 4 + body.length,
  };
}

/** `length` is the size of the body on the wire, of which more may have to arrive. */
function bodyOf(rest: Buffer, headers: ReadonlyMap<string, string>, hasEnded: boolean) {
  if (headers.get("transfer-encoding") === "chunked") return joined(rest);
  const declared = headers.get("content-length");
  if (declared === undefined && !hasEnded) return null;
  const length = Number(declared ?? rest.length);
  return { bytes: rest.subarray(0, length), length };
}

/** The chunks of a body, up to the empty one that ends it. */
function joined(rest: Buffer) {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString("latin1"), 16);
    const start = lineEnd + 2;
    at = start + size + 2;
    if (rest.length < at) return null;
    if (size === 0) return { bytes: Buffer.concat(pieces), length: at };
    pieces.push(rest.subarray(start, start + size));
  }
}
