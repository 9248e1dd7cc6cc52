export interface PngHeader {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly colorType: number;
  readonly isInterlaced: boolean;
}

/** Whether PNG allows this bit depth for this colour type. */
export function isPixelFormat({ bitDepth, colorType }: PngHeader): boolean {
  return pixelFormats.get(colorType)?.bitDepths.includes(bitDepth) === true;
}

/** The number of bytes that the compressed data of a picture with this header must have. */
export function inflatedLength(header: PngHeader): number {
  return scanlines(header).reduce((sum, { rows, bytes }) => sum + rows * bytes, 0);
}

/** Every scanline starts with the number of its filter. */
export function startsScanlinesWithFilters(inflated: Uint8Array, header: PngHeader): boolean {
  let at = 0;
  for (const { rows, bytes } of scanlines(header)) {
    for (let row = 0; row < rows; row++, at += bytes) if ((inflated[at] ?? 255) > 4) return false;
  }
  return true;
}

/** How many scanlines of which length follow each other, the filter byte included. */
function scanlines(header: PngHeader): { rows: number; bytes: number }[] {
  const { width, height, bitDepth, colorType, isInterlaced } = header;
  const bitsPerPixel = bitDepth * (pixelFormats.get(colorType)?.samples ?? 0);
  return (isInterlaced ? adam7 : wholePicture)
    .map(({ x, y, stepX, stepY }) => ({
      columns: Math.ceil((width - x) / stepX),
      rows: Math.ceil((height - y) / stepY),
    }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0)
    .map(({ columns, rows }) => ({ rows, bytes: 1 + Math.ceil((columns * bitsPerPixel) / 8) }));
}

/** By colour type: grey, colour, palette, grey with alpha, colour with alpha. */
const pixelFormats: ReadonlyMap<number, { samples: number; bitDepths: readonly number[] }> = new Map([
  [0, { samples: 1, bitDepths: [1, 2, 4, 8, 16] }],
  [2, { samples: 3, bitDepths: [8, 16] }],
  [3, { samples: 1, bitDepths: [1, 2, 4, 8] }],
  [4, { samples: 2, bitDepths: [8, 16] }],
  [6, { samples: 4, bitDepths: [8, 16] }],
]);

const wholePicture = [{ x: 0, y: 0, stepX: 1, stepY: 1 }];

/** The seven passes of an interlaced picture. */
const adam7 = [
  { x: 0, y: 0, stepX: 8, stepY: 8 },
  { x: 4, y: 0, stepX: 8, stepY: 8 },
  { x: 0, y: 4, stepX: 4, stepY: 8 },
  { x: 2, y: 0, stepX: 4, stepY: 4 },
  { x: 0, y: 2, stepX: 2, stepY: 4 },
  { x: 1, y: 0, stepX: 2, stepY: 2 },
  { x: 0, y: 1, stepX: 1, stepY: 2 },
];
