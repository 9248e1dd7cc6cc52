/**
 * SHA-256 and HMAC in plain TypeScript: the Web Crypto API only has asynchronous ones and `node:crypto` is missing in
 * browsers and edge runtimes, but webhooks are verified synchronously everywhere.
 */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const state = Uint32Array.from(initialState);
  const words = new Uint32Array(64);
  const input = padded(parts);
  const view = new DataView(input.buffer);
  for (let offset = 0; offset < input.length; offset += blockBytes) addBlock(state, words, view, offset);
  const digest = new Uint8Array(32);
  const output = new DataView(digest.buffer);
  for (const [index, word] of state.entries()) output.setUint32(index * 4, word);
  return digest;
}

/** HMAC-SHA-256 (RFC 2104) of the parts in sequence. */
export function hmacSha256(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  const block = new Uint8Array(blockBytes);
  block.set(key.length > blockBytes ? sha256(key) : key);
  const inner = sha256(
    block.map((byte) => byte ^ 0x36),
    ...parts,
  );
  return sha256(
    block.map((byte) => byte ^ 0x5c),
    inner,
  );
}

const blockBytes = 64;

/** The parts, a one bit, zeros, and the length in bits: a whole number of blocks. */
function padded(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const input = new Uint8Array(Math.ceil((length + 9) / blockBytes) * blockBytes);
  let offset = 0;
  for (const part of parts) {
    input.set(part, offset);
    offset += part.length;
  }
  input[length] = 0x80;
  const view = new DataView(input.buffer);
  view.setUint32(input.length - 8, Math.floor(length / 0x2000_0000));
  view.setUint32(input.length - 4, length << 3);
  return input;
}

function addBlock(state: Uint32Array, words: Uint32Array, input: DataView, offset: number): void {
  const word = (index: number) => words[index] as number;
  for (let index = 0; index < 16; index++) words[index] = input.getUint32(offset + index * 4);
  for (let index = 16; index < 64; index++) {
    const a = word(index - 15);
    const b = word(index - 2);
    const first = rotated(a, 7) ^ rotated(a, 18) ^ (a >>> 3);
    const second = rotated(b, 17) ^ rotated(b, 19) ^ (b >>> 10);
    words[index] = word(index - 16) + first + word(index - 7) + second;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const upper = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const lower = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const next = (h + upper + choice + (roundConstants[index] as number) + word(index)) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + next) | 0, c, b, a, (next + lower + majority) | 0];
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries())
    state[index] = (state[index] as number) + value;
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits after the point of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const roundConstants = fractions(64, Math.cbrt);
/** The first 32 bits after the point of the square roots of the first eight primes (FIPS 180-4, 5.3.3). */
const initialState = fractions(8, Math.sqrt);

function fractions(count: number, root: (value: number) => number): Uint32Array {
  const primes: number[] = [];
  for (let value = 2; primes.length < count; value++)
    if (primes.every((prime) => value % prime !== 0)) primes.push(value);
  return Uint32Array.from(primes, (prime) => (root(prime) % 1) * 0x1_0000_0000);
}
