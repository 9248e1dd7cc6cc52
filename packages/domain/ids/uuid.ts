const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Makes ids that sort by time (UUID version 7), drawing randomness from the source in large portions. */
export function uuidSource(now: () => number, fillRandom: (bytes: Uint8Array) => void): () => string {
  const pool = new Uint8Array(4096);
  let used = pool.length;
  return () => {
    if (used + 10 > pool.length) {
      fillRandom(pool);
      used = 0;
    }
    const byte = (offset: number) => pool[used + offset] ?? 0;
    const text = `${timePart(now())}-${hex[0x70 | (byte(0) & 0x0f)]}${hex[byte(1)]}-${hex[0x80 | (byte(2) & 0x3f)]}${hex[byte(3)]}-${hex[byte(4)]}${hex[byte(5)]}${hex[byte(6)]}${hex[byte(7)]}${hex[byte(8)]}${hex[byte(9)]}`;
    used += 10;
    return text;
  };
}

/** No id made at or after this time sorts before it. */
export function firstUuidAt(ms: number): string {
  return `${timePart(ms)}-7000-8000-000000000000`;
}

function timePart(ms: number): string {
  const text = ms.toString(16).padStart(12, "0");
  return `${text.slice(0, 8)}-${text.slice(8, 12)}`;
}
