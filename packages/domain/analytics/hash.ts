/**
 * A number of 48 bits that depends on every character of a text. Stored sketches consist of such numbers, so it must
 * never change. It is no protection against texts that were chosen to collide.
 */
export function hash48(text: string): number {
  let high = 0x9e3779b1;
  let low = 0x85ebca6b;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x85ebca77);
    low = Math.imul(low ^ code, 0xc2b2ae3d);
  }
  const first = mixed(high ^ (low >>> 13));
  const second = mixed(low ^ first);
  return mixed(first ^ (second >>> 7)) * 0x10000 + (second & 0xffff);
}

/** Spreads each bit over the whole number. */
function mixed(value: number): number {
  let bits = value ^ (value >>> 16);
  bits = Math.imul(bits, 0x21f0aaad);
  bits ^= bits >>> 15;
  bits = Math.imul(bits, 0x735a2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}
