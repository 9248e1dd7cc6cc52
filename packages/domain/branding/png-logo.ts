import { crc32, inflateSync } from "node:zlib";
import { type RefusedLogo, refuseLogo } from "./logo-fault.ts";
import {
  inflatedLength,
  isPixelFormat,
  type PngHeader,
  startsScanlinesWithFilters,
} from "./png-scanlines.ts";

export type CheckedPngLogo =
  | { readonly ok: true; readonly png: Uint8Array; readonly width: number; readonly height: number }
  | RefusedLogo;

export const maxPngKib = 256;
export const maxPngPixels = 1_024;

/**
 * Checks a PNG file and writes it again with nothing but the chunks that make the picture. Metadata, animation frames
 * and bytes after the end are dropped. The compressed data must be exactly one zlib stream of the size that the header
 * implies, so neither a decompression bomb nor a second file in its padding gets through.
 */
export function checkPngLogo(file: Uint8Array): CheckedPngLogo {
  if (file.length > maxPngKib * 1_024) return refuseLogo({ code: "logo_too_large", maxKib: maxPngKib });
  const chunks = readChunks(file);
  const header = readHeader(chunks?.[0]);
  if (chunks === null || header === null) return notPng;
  const { width, height } = header;
  if (width < 1 || height < 1 || width > maxPngPixels || height > maxPngPixels)
    return refuseLogo({ code: "logo_wrong_size", maxPixels: maxPngPixels });
  const parts = readParts(chunks, header);
  if (parts === null || !holdsPicture(parts.data, header)) return notPng;
  return { ok: true, png: writePng(parts), width, height };
}

const notPng = refuseLogo({ code: "logo_not_png" });
const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
}

/** All chunks up to IEND; null if one of them is damaged. */
function readChunks(file: Uint8Array): Chunk[] | null {
  if (!signature.every((byte, index) => file[index] === byte)) return null;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const chunks: Chunk[] = [];
  for (let at = signature.length; at + 12 <= file.length; ) {
    const end = at + 8 + view.getUint32(at);
    if (end + 4 > file.length || crc32(file.subarray(at + 4, end)) !== view.getUint32(end)) return null;
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8));
    if (!/^[A-Za-z]{4}$/.test(type)) return null;
    chunks.push({ type, data: file.subarray(at + 8, end) });
    if (type === "IEND") return chunks;
    at = end + 4;
  }
  return null;
}

function readHeader(chunk: Chunk | undefined): PngHeader | null {
  if (chunk === undefined || chunk.type !== "IHDR" || chunk.data.length !== 13) return null;
  const view = new DataView(chunk.data.buffer, chunk.data.byteOffset, 13);
  const header = {
    width: view.getUint32(0),
    height: view.getUint32(4),
    bitDepth: view.getUint8(8),
    colorType: view.getUint8(9),
    isInterlaced: view.getUint8(12) === 1,
  };
  const isKnown = view.getUint8(10) === 0 && view.getUint8(11) === 0 && view.getUint8(12) <= 1;
  return isKnown && isPixelFormat(header) ? header : null;
}

interface PngParts {
  readonly header: Uint8Array;
  readonly palette: Uint8Array | null;
  readonly transparency: Uint8Array | null;
  readonly data: Uint8Array;
}

/** Null if a chunk is missing, repeated, unknown and critical, or not where it belongs. */
function readParts(chunks: readonly Chunk[], header: PngHeader): PngParts | null {
  let palette: Uint8Array | null = null;
  let transparency: Uint8Array | null = null;
  const data: Uint8Array[] = [];
  let lastDataIndex = 0;
  for (const [index, chunk] of chunks.entries()) {
    switch (chunk.type) {
      case "IHDR":
        if (index !== 0) return null;
        break;
      case "PLTE":
        if (palette !== null || transparency !== null || data.length > 0) return null;
        palette = chunk.data;
        break;
      case "tRNS":
        if (transparency !== null || data.length > 0) return null;
        transparency = chunk.data;
        break;
      case "IDAT":
        if (data.length > 0 && lastDataIndex !== index - 1) return null;
        lastDataIndex = index;
        data.push(chunk.data);
        break;
      case "IEND":
        if (chunk.data.length !== 0) return null;
        break;
      default:
        // An upper-case first letter marks a chunk without which the picture cannot be shown.
        if (/^[A-Z]/.test(chunk.type)) return null;
    }
  }
  if (!isPalette(palette, header) || !isTransparency(transparency, palette, header)) return null;
  return { header: chunks[0]?.data ?? new Uint8Array(), palette, transparency, data: Buffer.concat(data) };
}

function isPalette(palette: Uint8Array | null, { colorType, bitDepth }: PngHeader): boolean {
  if (palette === null) return colorType !== 3;
  if (colorType === 0 || colorType === 4) return false;
  const maxColors = colorType === 3 ? 2 ** bitDepth : 256;
  return palette.length > 0 && palette.length % 3 === 0 && palette.length / 3 <= maxColors;
}

function isTransparency(
  transparency: Uint8Array | null,
  palette: Uint8Array | null,
  { colorType }: PngHeader,
): boolean {
  if (transparency === null) return true;
  if (colorType === 0) return transparency.length === 2;
  if (colorType === 2) return transparency.length === 6;
  return colorType === 3 && transparency.length > 0 && transparency.length <= (palette?.length ?? 0) / 3;
}

/** Never inflates more than the header implies, which is at most 8 MiB. */
function holdsPicture(data: Uint8Array, header: PngHeader): boolean {
  const length = inflatedLength(header);
  const inflated = inflate(data, length);
  return inflated?.length === length && startsScanlinesWithFilters(inflated, header);
}

function inflate(data: Uint8Array, maxOutputLength: number): Uint8Array | null {
  try {
    const { buffer, engine } = inflateSync(data, { maxOutputLength, info: true }) as unknown as {
      buffer: Uint8Array;
      engine: { bytesWritten: number };
    };
    // `bytesWritten` counts the input that belongs to the stream, so bytes after its end show.
    return engine.bytesWritten === data.length ? buffer : null;
  } catch {
    return null;
  }
}

function writePng({ header, palette, transparency, data }: PngParts): Uint8Array {
  return new Uint8Array(
    Buffer.concat([
      signature,
      writeChunk("IHDR", header),
      ...(palette === null ? [] : [writeChunk("PLTE", palette)]),
      ...(transparency === null ? [] : [writeChunk("tRNS", transparency)]),
      writeChunk("IDAT", data),
      writeChunk("IEND", new Uint8Array()),
    ]),
  );
}

function writeChunk(type: string, data: Uint8Array): Uint8Array {
  const chunk = Buffer.alloc(data.length + 12);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, "latin1");
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, data.length + 8)), data.length + 8);
  return chunk;
}
