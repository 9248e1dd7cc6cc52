import { describe, expect, test } from "bun:test";
import { hostileSvg, jpegFile, pngFile, svgFile, webpFile } from "../../../tests/support/logo-files.ts";
import { checkLogo, type LogoFault, type LogoType, maxLogoKib, maxLogoPixels } from "./logo.ts";

const bytes = (file: string | Uint8Array) => (typeof file === "string" ? Buffer.from(file) : file);
const codeOf = (file: string | Uint8Array) => {
  const checked = checkLogo(bytes(file));
  return checked.ok ? checked.type : checked.fault.code;
};
const svg = 'xmlns="http://www.w3.org/2000/svg"';

describe("a logo can be", () => {
  test.each<[what: string, file: string | Uint8Array, type: LogoType]>([
    ["a PNG file", pngFile(), "image/png"],
    ["the largest PNG file", pngFile({ width: maxLogoPixels }), "image/png"],
    ["a JPEG file", jpegFile(), "image/jpeg"],
    ["a progressive JPEG file", jpegFile({ marker: 0xc2 }), "image/jpeg"],
    ["a lossy WebP file", webpFile({ format: "VP8 " }), "image/webp"],
    [
      "a lossless WebP file",
      webpFile({ format: "VP8L", width: maxLogoPixels, height: maxLogoPixels }),
      "image/webp",
    ],
    ["an extended WebP file", webpFile({ format: "VP8X" }), "image/webp"],
    ["an SVG file", svgFile(), "image/svg+xml"],
    ["an SVG file with scripts, which no browser runs in a picture", hostileSvg, "image/svg+xml"],
    ["an SVG file with a width and height", `<svg ${svg} width="20mm" height='10'/>`, "image/svg+xml"],
    [
      "an SVG file of a drawing program",
      `\uFEFF<?xml version="1.0" encoding="utf-8"?>\n<!-- Generator: a > b --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"
        "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n${svgFile()}\n`,
      "image/svg+xml",
    ],
    [
      "an SVG file with > in an attribute of its root",
      `<svg data-name="a > b" ${svg} viewBox="0,0 8 8"></svg>`,
      "image/svg+xml",
    ],
  ])("%s", (_, file, type) => expect(codeOf(file)).toBe(type));
});

describe("a logo cannot be", () => {
  const entities = '<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>';
  test.each<[what: string, file: string | Uint8Array, code: LogoFault["code"]]>([
    ["empty", "", "logo_not_a_picture"],
    ["a page", "<html><svg/></html>", "logo_not_a_picture"],
    ["a page with a picture in it", `<!DOCTYPE html>${svgFile()}`, "logo_not_a_picture"],
    ["a text that mentions SVG", "svg xmlns=", "logo_not_a_picture"],
    ["a GIF file", "GIF89a\x01\x00\x01\x00", "logo_not_a_picture"],
    ["a PNG file that ends in its header", pngFile().subarray(0, 32), "logo_not_a_picture"],
    ["a JPEG file that ends before its size", jpegFile().subarray(0, 14), "logo_not_a_picture"],
    [
      "a JPEG file with a segment of no length",
      Uint8Array.of(0xff, 0xd8, 0xff, 0xfe, ...Array(20).fill(0)),
      "logo_not_a_picture",
    ],
    [
      "a WebP file of an unknown format",
      webpFile({ format: "ALPH" }).fill("ALPH", 12, 16),
      "logo_not_a_picture",
    ],
    ["another RIFF file", webpFile().fill("WAVE", 8, 12), "logo_not_a_picture"],
    ["an SVG file that declares entities, which could multiply", entities + svgFile(), "logo_not_a_picture"],
    ["an SVG file in Latin-1", Buffer.from(svgFile("<text>\u00e4</text>"), "latin1"), "logo_not_a_picture"],
    ["an SVG file that is cut off", svgFile().slice(0, -4), "logo_not_a_picture"],
    [
      "an SVG file that begins with a very long comment",
      `<!--${" ".repeat(65_536)}-->${svgFile()}`,
      "logo_not_a_picture",
    ],
    ["an SVG element without its namespace", '<svg viewBox="0 0 1 1"/>', "logo_not_a_picture"],
    ["an SVG file without a size", `<svg ${svg}/>`, "logo_without_size"],
    ["an SVG file as wide as its frame", `<svg ${svg} width="100%" height="100%"/>`, "logo_without_size"],
    ["an SVG file of no width", `<svg ${svg} viewBox="0 0 0 1"/>`, "logo_without_size"],
    ["too wide", pngFile({ width: maxLogoPixels + 1 }), "logo_wrong_size"],
    ["too high", jpegFile({ height: maxLogoPixels + 1 }), "logo_wrong_size"],
    ["a WebP file that is too high", webpFile({ height: 16_384 }), "logo_wrong_size"],
    ["of no height", jpegFile({ height: 0 }), "logo_wrong_size"],
    ["too large", Buffer.concat([pngFile(), Buffer.alloc(maxLogoKib * 1_024)]), "logo_too_large"],
  ])("%s", (_, file, code) => expect(codeOf(file)).toBe(code));
});

test.each([
  ...[
    "<!--",
    "<!-- -->",
    "<?xml ?>",
    "<!DOCTYPE svg>",
    " ",
    '<svg "',
    `<svg '"`,
    "a=",
    "<svg ",
    "a",
    "a ",
    "a=''",
  ],
])("no file takes long, not even one full of %p", (piece) => {
  const filling = piece.repeat((maxLogoKib * 1_024 - 200) / piece.length);
  for (const file of [filling, `<svg ${svg} ${filling}></svg>`, `<svg ${filling}`]) {
    const started = performance.now();
    checkLogo(Buffer.from(file));
    expect(performance.now() - started).toBeLessThan(1_000);
  }
});
