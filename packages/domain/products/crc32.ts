/** CRC-32 (ISO-HDLC, as in zip) of the first `length` characters, which have to be ASCII. */
export function crc32(text: string, length: number): number {
  let crc = -1;
  for (let index = 0; index < length; index++) {
    crc = (crc >>> 8) ^ (table[(crc ^ text.charCodeAt(index)) & 0xff] ?? 0);
  }
  return ~crc >>> 0;
}

const reversedPolynomial = 0xedb88320;

const table = new Int32Array(256).map((_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) {
    remainder = remainder & 1 ? (remainder >>> 1) ^ reversedPolynomial : remainder >>> 1;
  }
  return remainder;
});
