import { describe, expect, test } from "bun:test";
import { crc32, deflateSync } from "node:zlib";
import fc from "fast-check";
import { checkPngLogo, maxPngKib, maxPngPixels } from "./png-logo.ts";

const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const end = chunk("IEND", "");
/** One grey pixel of 8 bits. */
const header = ihdr({});
const pixel = deflateSync(Buffer.from([0, 7]));
const smallest = file(header, chunk("IDAT", pixel), end);

describe("a PNG logo", () => {
  const formats: [colorType: number, bitDepth: number, bitsPerPixel: number][] = [
    ...[1, 2, 4, 8, 16].map((depth): [number, number, number] => [0, depth, depth]),
    ...[8, 16].map((depth): [number, number, number] => [2, depth, 3 * depth]),
    ...[1, 2, 4, 8].map((depth): [number, number, number] => [3, depth, depth]),
    ...[8, 16].map((depth): [number, number, number] => [4, depth, 2 * depth]),
    ...[8, 16].map((depth): [number, number, number] => [6, depth, 4 * depth]),
  ];

  test.each(formats)(
    "of colour type %d with %d bits is kept byte for byte",
    (colorType, bitDepth, bitsPerPixel) => {
      const rows = Buffer.alloc(5 * (1 + Math.ceil((13 * bitsPerPixel) / 8)));
      const palette = colorType === 3 ? [chunk("PLTE", Buffer.alloc(6))] : [];
      const png = file(
        ihdr({ width: 13, height: 5, colorType, bitDepth }),
        ...palette,
        chunk("IDAT", deflateSync(rows)),
        end,
      );
      expect(checkPngLogo(png)).toEqual({ ok: true, png: new Uint8Array(png), width: 13, height: 5 });
    },
  );

  test("may be interlaced, in every small size", () => {
    for (let width = 1; width <= 9; width++) {
      for (let height = 1; height <= 9; height++) {
        const rows = Buffer.alloc(interlacedLength(width, height));
        const png = file(ihdr({ width, height, interlace: 1 }), chunk("IDAT", deflateSync(rows)), end);
        expect(checkPngLogo(png).ok).toBe(true);
        const longer = chunk("IDAT", deflateSync(Buffer.concat([rows, Buffer.alloc(1)])));
        expect(codeOf(file(ihdr({ width, height, interlace: 1 }), longer, end))).toBe("logo_not_png");
      }
    }
  });

  test.each([
    [1, 1_024],
    [1_024, 1],
    [1_024, 1_024],
  ])("may be %d by %d pixels", (width, height) => {
    const rows = deflateSync(Buffer.alloc(height * (1 + width * 8)));
    const png = file(ihdr({ width, height, colorType: 6, bitDepth: 16 }), chunk("IDAT", rows), end);
    expect(checkPngLogo(png)).toMatchObject({ ok: true, width, height });
  });

  test("keeps palette, transparency and pixels; loses metadata, animation and trailing bytes", () => {
    const head = ihdr({ colorType: 3 });
    const palette = chunk("PLTE", Buffer.from([1, 2, 3, 4, 5, 6]));
    const transparency = chunk("tRNS", Buffer.from([0, 255]));
    const half = 4;
    const png = file(
      head,
      chunk("gAMA", Buffer.alloc(4)),
      chunk("tEXt", "Comment\0<script>alert(1)</script>"),
      chunk("acTL", Buffer.alloc(8)),
      chunk("fcTL", Buffer.alloc(26)),
      palette,
      transparency,
      chunk("eXIf", "GPS"),
      chunk("IDAT", pixel.subarray(0, half)),
      chunk("IDAT", ""),
      chunk("IDAT", pixel.subarray(half)),
      chunk("fdAT", Buffer.alloc(20)),
      chunk("iTXt", "XML:com.adobe.xmp"),
      end,
      Buffer.from("PK\x03\x04<script>alert(1)</script>"),
      end,
    );
    expect(cleaned(png)).toEqual(file(head, palette, transparency, chunk("IDAT", pixel), end));
    expect(cleaned(cleaned(png))).toEqual(cleaned(png));
  });

  const grey8 = { colorType: 0, bitDepth: 8 };
  const rows: [name: string, bytes: Uint8Array, code: string][] = [
    ["an empty file", new Uint8Array(), "logo_not_png"],
    ["only a signature", signature, "logo_not_png"],
    [
      "a signature changed by a text transfer",
      Buffer.from(smallest.toString("latin1").replace("\r\n", "\n"), "latin1"),
      "logo_not_png",
    ],
    ["a GIF", Buffer.from("GIF89a\x01\0\x01\0"), "logo_not_png"],
    ["a JPEG", Buffer.from([0xff, 0xd8, 0xff, 0xe0]), "logo_not_png"],
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), "logo_not_png"],
    ["HTML before the signature", Buffer.concat([Buffer.from("<html>"), smallest]), "logo_not_png"],
    ["a PDF before the signature", Buffer.concat([Buffer.from("%PDF-1.7\n"), smallest]), "logo_not_png"],
    ["a file that ends within a chunk", smallest.subarray(0, -14), "logo_not_png"],
    ["a file without IEND", file(header, chunk("IDAT", pixel)), "logo_not_png"],
    ["a file that ends within IEND", smallest.subarray(0, -1), "logo_not_png"],
    ["IEND with data", file(header, chunk("IDAT", pixel), chunk("IEND", "x")), "logo_not_png"],
    ["a wrong CRC of IHDR", changed(smallest, 29), "logo_not_png"],
    ["a wrong CRC of IEND", changed(smallest, smallest.length - 1), "logo_not_png"],
    ["a length beyond the file", changed(smallest, 33), "logo_not_png"],
    ["no IHDR", file(chunk("IDAT", pixel), end), "logo_not_png"],
    ["IHDR after another chunk", file(chunk("tEXt", "a"), header, chunk("IDAT", pixel), end), "logo_not_png"],
    ["Apple's variant", file(chunk("CgBI", "abcd"), header, chunk("IDAT", pixel), end), "logo_not_png"],
    ["two IHDR", file(header, header, chunk("IDAT", pixel), end), "logo_not_png"],
    ["a short IHDR", file(chunk("IHDR", Buffer.alloc(12)), chunk("IDAT", pixel), end), "logo_not_png"],
    ["a long IHDR", file(chunk("IHDR", Buffer.alloc(14)), chunk("IDAT", pixel), end), "logo_not_png"],
    ["an unknown critical chunk", file(header, chunk("ABCD", ""), chunk("IDAT", pixel), end), "logo_not_png"],
    [
      "a chunk name with a bracket",
      file(header, chunk("<scr", ""), chunk("IDAT", pixel), end),
      "logo_not_png",
    ],
    ["no IDAT", file(header, end), "logo_not_png"],
    ["an empty IDAT", file(header, chunk("IDAT", ""), end), "logo_not_png"],
    [
      "IDAT in two places",
      file(
        header,
        chunk("IDAT", pixel.subarray(0, 3)),
        chunk("tIME", ""),
        chunk("IDAT", pixel.subarray(3)),
        end,
      ),
      "logo_not_png",
    ],
    ["a wrong checksum of the pixels", withData(changed(pixel, pixel.length - 1)), "logo_not_png"],
    ["pixels that end early", withData(pixel.subarray(0, -4)), "logo_not_png"],
    ["pixels that are no zlib stream", withData(Buffer.from("<script>alert(1)</script>")), "logo_not_png"],
    [
      "a second file behind the pixels",
      withData(Buffer.concat([pixel, Buffer.from("PK\x03\x04")])),
      "logo_not_png",
    ],
    ["a second zlib stream behind the pixels", withData(Buffer.concat([pixel, pixel])), "logo_not_png"],
    [
      "a zlib stream with a dictionary",
      withData(deflateSync(Buffer.from([0, 7]), { dictionary: Buffer.from("a") })),
      "logo_not_png",
    ],
    ["too few pixels", withData(deflateSync(Buffer.from([0]))), "logo_not_png"],
    ["too many pixels", withData(deflateSync(Buffer.from([0, 7, 0]))), "logo_not_png"],
    ["a decompression bomb", withData(deflateSync(Buffer.alloc(100_000_000))), "logo_not_png"],
    ["an unknown filter", withData(deflateSync(Buffer.from([5, 7]))), "logo_not_png"],
    ["colour type 1", file(ihdr({ colorType: 1 }), chunk("IDAT", pixel), end), "logo_not_png"],
    ["colour type 7", file(ihdr({ colorType: 7 }), chunk("IDAT", pixel), end), "logo_not_png"],
    ["bit depth 0", file(ihdr({ bitDepth: 0 }), chunk("IDAT", pixel), end), "logo_not_png"],
    ["bit depth 3", file(ihdr({ bitDepth: 3 }), chunk("IDAT", pixel), end), "logo_not_png"],
    [
      "colour with four bits",
      file(ihdr({ colorType: 2, bitDepth: 4 }), chunk("IDAT", pixel), end),
      "logo_not_png",
    ],
    [
      "a palette with 16 bits",
      file(ihdr({ colorType: 3, bitDepth: 16 }), chunk("IDAT", pixel), end),
      "logo_not_png",
    ],
    ["an unknown compression", file(ihdr({ compression: 1 }), chunk("IDAT", pixel), end), "logo_not_png"],
    ["an unknown filter method", file(ihdr({ filter: 1 }), chunk("IDAT", pixel), end), "logo_not_png"],
    ["an unknown interlacing", file(ihdr({ interlace: 2 }), chunk("IDAT", pixel), end), "logo_not_png"],
    [
      "no palette where one is needed",
      file(ihdr({ colorType: 3 }), chunk("IDAT", pixel), end),
      "logo_not_png",
    ],
    ["a palette for grey", file(header, chunk("PLTE", "abc"), chunk("IDAT", pixel), end), "logo_not_png"],
    ["an empty palette", palettes("", ""), "logo_not_png"],
    ["a palette with a broken colour", palettes("abcd", ""), "logo_not_png"],
    ["a palette with 257 colours", palettes("abc".repeat(257), ""), "logo_not_png"],
    [
      "more colours than the bit depth can show",
      file(ihdr({ colorType: 3, bitDepth: 1 }), chunk("PLTE", "abcabcabc"), chunk("IDAT", pixel), end),
      "logo_not_png",
    ],
    [
      "two palettes",
      file(ihdr({ colorType: 3 }), chunk("PLTE", "abc"), chunk("PLTE", "abc"), chunk("IDAT", pixel), end),
      "logo_not_png",
    ],
    [
      "a palette behind the pixels",
      file(ihdr({ colorType: 3 }), chunk("IDAT", pixel), chunk("PLTE", "abc"), end),
      "logo_not_png",
    ],
    ["more transparency than colours", palettes("abc", "xy"), "logo_not_png"],
    [
      "transparency of the wrong length",
      file(header, chunk("tRNS", "x"), chunk("IDAT", pixel), end),
      "logo_not_png",
    ],
    [
      "transparency beside alpha",
      file(ihdr({ colorType: 4 }), chunk("tRNS", "xx"), chunk("IDAT", deflateSync(Buffer.alloc(3))), end),
      "logo_not_png",
    ],
    [
      "transparency behind the pixels",
      file(ihdr(grey8), chunk("IDAT", pixel), chunk("tRNS", "xx"), end),
      "logo_not_png",
    ],
    ["no width", file(ihdr({ width: 0 }), chunk("IDAT", pixel), end), "logo_wrong_size"],
    ["no height", file(ihdr({ height: 0 }), chunk("IDAT", pixel), end), "logo_wrong_size"],
    ["1,025 pixels", file(ihdr({ width: 1_025 }), chunk("IDAT", pixel), end), "logo_wrong_size"],
    [
      "four billion pixels",
      file(ihdr({ width: 0xffffffff, height: 0xffffffff }), chunk("IDAT", pixel), end),
      "logo_wrong_size",
    ],
    [
      "more than 256 KiB",
      file(header, chunk("tEXt", Buffer.alloc(256 * 1_024)), chunk("IDAT", pixel), end),
      "logo_too_large",
    ],
  ];

  test.each(rows)("is refused: %s", (_name, bytes, code) => {
    expect(codeOf(bytes)).toBe(code);
  });

  test("is refused with the bound that it exceeds", () => {
    expect(checkPngLogo(new Uint8Array(256 * 1_024 + 1))).toEqual({
      ok: false,
      fault: { code: "logo_too_large", maxKib: maxPngKib },
    });
    expect(checkPngLogo(file(ihdr({ height: 1_025 }), end))).toEqual({
      ok: false,
      fault: { code: "logo_wrong_size", maxPixels: maxPngPixels },
    });
  });

  test("with any byte changed is either refused or, in dropped parts, gives the same picture", () => {
    const png = file(header, chunk("tEXt", "abc"), chunk("IDAT", pixel), end, Buffer.from("trailing"));
    for (let at = 0; at < png.length; at++) {
      const checked = checkPngLogo(changed(png, at));
      if (checked.ok) expect(smallest.equals(checked.png)).toBe(true);
      else expect(checked.fault.code).toBe("logo_not_png");
    }
  });

  test("never throws, whatever the bytes are", () => {
    const chunks = fc.array(
      fc.tuple(
        fc.constantFrom("IHDR", "PLTE", "tRNS", "IDAT", "IEND", "tEXt"),
        fc.uint8Array({ maxLength: 20 }),
      ),
    );
    fc.assert(
      fc.property(chunks, fc.uint8Array(), (parts, tail) => {
        checkPngLogo(file(header, ...parts.map(([type, data]) => chunk(type, data)), tail));
        checkPngLogo(tail);
      }),
      { numRuns: 2_000 },
    );
  });

  test("is refused quickly, however many chunks it has and however much they inflate to", () => {
    const manyChunks = file(header, ...Array.from({ length: 21_000 }, () => chunk("tEXt", "")), end);
    const bomb = file(
      ihdr({ width: 1, height: 1 }),
      chunk("IDAT", deflateSync(Buffer.alloc(200_000_000))),
      end,
    );
    for (const hostile of [manyChunks, bomb]) {
      expect(hostile.length).toBeLessThan(256 * 1_024);
      expect(fastestMs(() => expect(codeOf(hostile)).toBe("logo_not_png"))).toBeLessThan(250);
    }
  });
});

function fastestMs(run: () => void): number {
  return Math.min(
    ...Array.from({ length: 5 }, () => {
      const started = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(started);
      return (user + system) / 1_000;
    }),
  );
}

function codeOf(bytes: Uint8Array): string {
  const checked = checkPngLogo(bytes);
  return checked.ok ? "ok" : checked.fault.code;
}

function cleaned(bytes: Uint8Array): Buffer {
  const checked = checkPngLogo(bytes);
  if (!checked.ok) throw new Error(checked.fault.code);
  return Buffer.from(checked.png);
}

function file(...parts: Uint8Array[]): Buffer {
  return Buffer.concat([signature, ...parts]);
}

function withData(data: Uint8Array): Buffer {
  return file(header, chunk("IDAT", data), end);
}

function palettes(colors: string, transparency: string): Buffer {
  return file(
    ihdr({ colorType: 3 }),
    chunk("PLTE", colors),
    ...(transparency === "" ? [] : [chunk("tRNS", transparency)]),
    chunk("IDAT", pixel),
    end,
  );
}

function changed(bytes: Uint8Array, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0x21;
  return copy;
}

function chunk(type: string, content: string | Uint8Array): Buffer {
  const data = typeof content === "string" ? Buffer.from(content, "latin1") : Buffer.from(content);
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const bytes = Buffer.alloc(named.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  named.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(named), named.length + 4);
  return bytes;
}

function ihdr(
  changes: Partial<
    Record<"width" | "height" | "bitDepth" | "colorType" | "compression" | "filter" | "interlace", number>
  >,
): Buffer {
  const parts = {
    width: 1,
    height: 1,
    bitDepth: 8,
    colorType: 0,
    compression: 0,
    filter: 0,
    interlace: 0,
    ...changes,
  };
  const data = Buffer.alloc(13);
  data.writeUInt32BE(parts.width, 0);
  data.writeUInt32BE(parts.height, 4);
  data.set([parts.bitDepth, parts.colorType, parts.compression, parts.filter, parts.interlace], 8);
  return chunk("IHDR", data);
}

/** Counts the pixels of each pass one by one, for grey pixels of 8 bits. */
function interlacedLength(width: number, height: number): number {
  const pattern = [
    "16462646",
    "77777777",
    "56565656",
    "77777777",
    "36463646",
    "77777777",
    "56565656",
    "77777777",
  ];
  let length = 0;
  for (const pass of "1234567") {
    for (let y = 0; y < height; y++) {
      let pixels = 0;
      for (let x = 0; x < width; x++) if (pattern[y % 8]?.[x % 8] === pass) pixels++;
      length += pixels === 0 ? 0 : pixels + 1;
    }
  }
  return length;
}
