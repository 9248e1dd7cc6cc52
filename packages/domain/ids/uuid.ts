/**
 * Generates IDs that sort by time (UUID version 7). Within a millisecond they share their random part and count up, as
 * RFC 9562 allows: they are unique, not secret, and this is many times cheaper than fresh randomness for each.
 */
export function uuidSource(now: () => number, fillRandom: (bytes: Uint8Array) => void): () => string {
  const random = new Uint8Array(8);
  let atMs = -1;
  let count = 0;
  let head = "";
  let tail = "";
  return () => {
    const nowMs = now();
    if (nowMs !== atMs || count === counters.length) {
      fillRandom(random);
      atMs = nowMs;
      count = 0;
      head = `${timePart(nowMs)}-`;
      tail = randomPart(random);
    }
    const id = head + counters[count] + tail;
    count += 1;
    return id;
  };
}

/** No ID generated at or after this time sorts before it. */
export function firstUuidAt(ms: number): string {
  return `${timePart(ms)}-7000-8000-000000000000`;
}

/** When an ID was generated; null for a text that is none. */
export function timeOfUuid(id: string): number | null {
  const time = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(id);
  return time === null ? null : Number.parseInt(`${time[1]}${time[2]}`, 16);
}

/** The version digit and everything that the next three digits can count. */
const counters = Array.from({ length: 4096 }, (_, count) => `7${count.toString(16).padStart(3, "0")}-`);

function timePart(ms: number): string {
  const text = ms.toString(16).padStart(12, "0");
  return `${text.slice(0, 8)}-${text.slice(8, 12)}`;
}

function randomPart(bytes: Uint8Array): string {
  const [first = 0, ...rest] = bytes;
  const text = [0x80 | (first & 0x3f), ...rest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}
