import { describe, expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { fastestCpuMs } from "../../../tests/support/fastest.ts";
import { forAll } from "../../../tests/support/for-all.ts";
import { pngChunk as chunk, pngOf as file, pngHeader as ihdr } from "../../../tests/support/logo-files.ts";
import { checkPngLogo, maxPngKib, maxPngPixels } from "./png-logo.ts";

const end = chunk("IEND", "");
/** One grey pixel of 8 bits. */
const header = ihdr({});
const pixelRow = Buffer.from([0, 7]);
const pixel = deflateSync(pixelRow);
const data = chunk("IDAT", pixel);
const greyAndAlpha = chunk("IDAT", deflateSync(Buffer.alloc(3)));
const indexed = ihdr({ colorType: 3 });
const twoColors = ihdr({ colorType: 3, bitDepth: 1 });
const smallest = file(header, data, end);

describe("PNG logos", () => {
  test.each<[colorType: number, channels: number, bitDepths: number[]]>([
    [0, 1, [1, 2, 4, 8, 16]],
    [2, 3, [8, 16]],
    [3, 1, [1, 2, 4, 8]],
    [4, 2, [8, 16]],
    [6, 4, [8, 16]],
  ])("a PNG of colour type %d, %d channels and %j bits is kept unchanged", (colorType, channels, depths) => {
    for (const bitDepth of depths) {
      const rows = Buffer.alloc(5 * (1 + Math.ceil((13 * channels * bitDepth) / 8)));
      const palette = colorType === 3 ? [chunk("PLTE", Buffer.alloc(6))] : [];
      const head = ihdr({ width: 13, height: 5, colorType, bitDepth });
      const png = file(head, ...palette, chunk("IDAT", deflateSync(rows)), end);
      expect(checkPngLogo(png)).toEqual({ ok: true, png: new Uint8Array(png), width: 13, height: 5 });
    }
  });

  test.each([
    [1, 1, 2],
    [3, 3, 15],
    [4, 4, 23],
    [5, 3, 22],
    [6, 6, 48],
    [9, 9, 100],
    [12, 13, 182],
    [13, 12, 179],
    [24, 24, 621],
  ])("a PNG of %d by %d pixels may be interlaced", (width, height, length) => {
    const withBytes = (count: number) =>
      file(ihdr({ width, height, interlace: 1 }), chunk("IDAT", deflateSync(Buffer.alloc(count))), end);
    expect(codeOf(withBytes(length))).toBe("ok");
    expect(codeOf(withBytes(length + 1))).toBe("logo_not_png");
  });

  test("a PNG may have 1,024 by 1,024 pixels", () => {
    const [width, height] = [1_024, 1_024];
    const rows = deflateSync(Buffer.alloc(height * (1 + width * 8)));
    const png = file(ihdr({ width, height, colorType: 6, bitDepth: 16 }), chunk("IDAT", rows), end);
    expect(checkPngLogo(png)).toMatchObject({ ok: true, width, height });
  });

  test("a PNG keeps palette, transparency and pixels, but no metadata, animation or trailing bytes", () => {
    const shown = [chunk("PLTE", Buffer.from([1, 2, 3, 4, 5, 6])), chunk("tRNS", Buffer.from([0, 255]))];
    const about = [chunk("gAMA", Buffer.alloc(4)), chunk("tEXt", "Comment\0<script>alert(1)</script>")];
    const animation = [chunk("acTL", Buffer.alloc(8)), chunk("fcTL", Buffer.alloc(26))];
    const pixels = partsOf(4, chunk("IDAT", ""));
    const behind = [chunk("fdAT", Buffer.alloc(20)), chunk("iTXt", "XML:com.adobe.xmp")];
    const trailing = [Buffer.from("PK\x03\x04<script>alert(1)</script>"), end];
    const before = [indexed, ...about, ...animation, ...shown, chunk("eXIf", "GPS")];
    const png = file(...before, ...pixels, ...behind, end, ...trailing);
    expect(cleaned(png)).toEqual(file(indexed, ...shown, data, end));
    expect(cleaned(cleaned(png))).toEqual(cleaned(png));
  });

  describe.each(
    Object.entries({
      logo_not_png: {
        "an empty file": new Uint8Array(),
        "only a signature": file(),
        "a signature changed by a text transfer": Buffer.concat([Buffer.from([0x89]), smallest.subarray(2)]),
        "HTML before the signature": Buffer.concat([Buffer.from("<html>"), smallest]),
        "a file that ends within a chunk": smallest.subarray(0, -14),
        "a file without IEND": file(header, data),
        "a file that ends within IEND": smallest.subarray(0, -1),
        "IEND with data": file(header, data, chunk("IEND", "x")),
        "a wrong CRC of IHDR": changed(smallest, 29),
        "a length beyond the file": changed(smallest, 33),
        "no IHDR": file(data, end),
        "IHDR after another chunk": file(chunk("tEXt", "a"), header, data, end),
        "two IHDR": before(header),
        "a short IHDR": file(chunk("IHDR", Buffer.alloc(12)), data, end),
        "a long IHDR": file(chunk("IHDR", Buffer.alloc(14)), data, end),
        "an unknown critical chunk": before(chunk("ABCD", "")),
        "a chunk name with a bracket": before(chunk("<scr", "")),
        "no IDAT": file(header, end),
        "an empty IDAT": file(header, chunk("IDAT", ""), end),
        "IDAT in two places": file(header, ...partsOf(3, chunk("tIME", "")), end),
        "a wrong checksum of the pixels": withData(changed(pixel, pixel.length - 1)),
        "pixels that end early": withData(pixel.subarray(0, -4)),
        "pixels that are no zlib stream": withData(Buffer.from("<script>alert(1)</script>")),
        "a second file behind the pixels": withData(Buffer.concat([pixel, Buffer.from("PK\x03\x04")])),
        "a second zlib stream behind the pixels": withData(Buffer.concat([pixel, pixel])),
        "too few pixels": withData(deflateSync(Buffer.from([0]))),
        "too many pixels": withData(deflateSync(Buffer.from([0, 7, 0]))),
        "an unknown filter": withData(deflateSync(Buffer.from([5, 7]))),
        "colour type 1": headed({ colorType: 1 }),
        "bit depth 3": headed({ bitDepth: 3 }),
        "colour with four bits": headed({ colorType: 2, bitDepth: 4 }),
        "a palette with 16 bits": headed({ colorType: 3, bitDepth: 16 }),
        "an unknown compression": headed({ compression: 1 }),
        "an unknown filter method": headed({ filter: 1 }),
        "an unknown interlacing": headed({ interlace: 2 }),
        "no palette where one is needed": headed({ colorType: 3 }),
        "a palette for grey": before(chunk("PLTE", "abc")),
        "an empty palette": withPalette("", ""),
        "a palette with a broken colour": withPalette("abcd", ""),
        "a palette with 257 colours": withPalette("abc".repeat(257), ""),
        "more colours than the bit depth can show": file(twoColors, chunk("PLTE", "abcabcabc"), data, end),
        "two palettes": file(indexed, chunk("PLTE", "abc"), chunk("PLTE", "abc"), data, end),
        "a palette behind the pixels": file(indexed, data, chunk("PLTE", "abc"), end),
        "more transparency than colours": withPalette("abc", "xy"),
        "transparency of the wrong length": before(chunk("tRNS", "x")),
        "transparency beside alpha": file(ihdr({ colorType: 4 }), chunk("tRNS", "xx"), greyAndAlpha, end),
        "transparency behind the pixels": file(header, data, chunk("tRNS", "xx"), end),
      },
      logo_wrong_size: {
        "no width": headed({ width: 0 }),
        "no height": headed({ height: 0 }),
        "1,025 pixels": headed({ width: 1_025 }),
        "four billion pixels": headed({ width: 0xffffffff, height: 0xffffffff }),
      },
      logo_too_large: { "more than 256 KiB": before(chunk("tEXt", Buffer.alloc(256 * 1_024))) },
    }),
  )("%s", (code, files) => {
    test.each(Object.entries<Uint8Array>(files))("a PNG is refused because of %s", (_name, bytes) =>
      expect(codeOf(bytes)).toBe(code),
    );
  });

  test("the refusal of a PNG names the bound that it exceeds", () => {
    const tooLarge = { code: "logo_too_large", maxKib: maxPngKib } as const;
    expect(checkPngLogo(new Uint8Array(256 * 1_024 + 1))).toEqual({ ok: false, fault: tooLarge });
    const wrongSize = { code: "logo_wrong_size", maxPixels: maxPngPixels } as const;
    expect(checkPngLogo(headed({ height: 1_025 }))).toEqual({ ok: false, fault: wrongSize });
  });

  test("a PNG with any byte changed is refused, or gives the same picture if the byte is dropped", () => {
    const png = Buffer.concat([before(chunk("tEXt", "abc")), Buffer.from("trailing")]);
    for (let at = 0; at < png.length; at++) {
      const checked = checkPngLogo(changed(png, at));
      if (checked.ok) expect(smallest.equals(checked.png)).toBe(true);
      else expect(checked.fault.code).toBe("logo_not_png");
    }
  });

  test("the check of a PNG never throws, whatever the bytes are", () => {
    const type = fc.constantFrom("IHDR", "PLTE", "tRNS", "IDAT", "IEND", "tEXt");
    const chunks = fc.array(fc.tuple(type, fc.uint8Array({ maxLength: 20 })));
    forAll(2_000, [chunks, fc.uint8Array()], (parts, tail) => {
      checkPngLogo(file(header, ...parts.map(([type, data]) => chunk(type, data)), tail));
      checkPngLogo(tail);
    });
  });

  test("a PNG is refused quickly, however many chunks it has and however much they inflate to", () => {
    const manyChunks = file(header, ...Array.from({ length: 21_000 }, () => chunk("tEXt", "")), end);
    const bomb = withData(deflateSync(Buffer.alloc(100_000_000)));
    for (const hostile of [manyChunks, bomb]) {
      expect(hostile.length).toBeLessThan(256 * 1_024);
      expect(fastestCpuMs(() => expect(codeOf(hostile)).toBe("logo_not_png"))).toBeLessThan(250);
    }
  });
});

function codeOf(bytes: Uint8Array): string {
  const checked = checkPngLogo(bytes);
  return checked.ok ? "ok" : checked.fault.code;
}

function cleaned(bytes: Uint8Array): Buffer {
  const checked = checkPngLogo(bytes);
  if (!checked.ok) throw new Error(checked.fault.code);
  return Buffer.from(checked.png);
}

function withData(data: Uint8Array): Buffer {
  return file(header, chunk("IDAT", data), end);
}

function withPalette(colors: string, transparency: string): Buffer {
  const transparencies = transparency === "" ? [] : [chunk("tRNS", transparency)];
  return file(indexed, chunk("PLTE", colors), ...transparencies, data, end);
}

/** The pixels in two chunks, with another between. */
function partsOf(length: number, between: Buffer): Buffer[] {
  return [chunk("IDAT", pixel.subarray(0, length)), between, chunk("IDAT", pixel.subarray(length))];
}

/** The smallest file with another header. */
function headed(changes: Parameters<typeof ihdr>[0]): Buffer {
  return file(ihdr(changes), data, end);
}

/** The smallest file with chunks before its pixels. */
function before(...chunks: Uint8Array[]): Buffer {
  return file(header, ...chunks, data, end);
}

function changed(bytes: Uint8Array, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0x21;
  return copy;
}
