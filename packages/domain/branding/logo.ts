export type LogoType = "image/png" | "image/jpeg" | "image/webp" | "image/svg+xml";

/** Why a file cannot be the logo of an organization. The parameters are for the text of the refusal. */
export type LogoFault =
  | { readonly code: "logo_too_large"; readonly maxKib: number }
  /** None of the four kinds, or damaged. */
  | { readonly code: "logo_not_a_picture" }
  | { readonly code: "logo_wrong_size"; readonly maxPixels: number }
  /** An SVG image without a `viewBox` and without `width` and `height`. */
  | { readonly code: "logo_without_size" };

type CheckedLogo =
  | { readonly ok: true; readonly type: LogoType }
  | { readonly ok: false; readonly fault: LogoFault };

export const maxLogoKib = 256;
export const maxLogoPixels = 2_048;

/** The width and height of a picture; of an SVG image, null if any size suits it. */
type Size = readonly [width: number, height: number];

/**
 * Which kind of picture a file is, from its content. The size is read because a small file can be a picture that fills
 * the memory of everyone who sees it. The rest is left to the browser, which shows logos only in `<img>`, where nothing runs.
 */
export function checkLogo(file: Uint8Array): CheckedLogo {
  if (file.length > maxLogoKib * 1_024) return refused({ code: "logo_too_large", maxKib: maxLogoKib });
  for (const [type, sizeOf] of bitmaps) {
    const size = sizeOf(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
    if (size === null) continue;
    const fits = size.every((side) => side >= 1 && side <= maxLogoPixels);
    return fits ? { ok: true, type } : refused({ code: "logo_wrong_size", maxPixels: maxLogoPixels });
  }
  const svg = svgRoot(file);
  if (svg === null) return refused({ code: "logo_not_a_picture" });
  return hasSize(svg) ? { ok: true, type: "image/svg+xml" } : refused({ code: "logo_without_size" });
}

function refused(fault: LogoFault): CheckedLogo {
  return { ok: false, fault };
}

/** How to read the size of each kind from its first bytes; null if the file is not of this kind. */
const bitmaps: readonly (readonly [LogoType, (file: Buffer) => Size | null])[] = [
  ["image/png", pngSize],
  ["image/jpeg", jpegSize],
  ["image/webp", webpSize],
];

function pngSize(file: Buffer): Size | null {
  const startsAsPng = file.length >= 33 && file.toString("latin1", 0, 8) === "\x89PNG\r\n\x1a\n";
  if (!startsAsPng || file.toString("latin1", 12, 16) !== "IHDR") return null;
  return [file.readUInt32BE(16), file.readUInt32BE(20)];
}

/** The size is in the first segment that starts a frame. */
function jpegSize(file: Buffer): Size | null {
  if (file.length < 4 || file.readUInt16BE(0) !== 0xff_d8) return null;
  for (let at = 2; at + 9 <= file.length; at += 2 + file.readUInt16BE(at + 2)) {
    const marker = file.readUInt16BE(at);
    if (marker < 0xff_c0 || marker > 0xff_fe || file.readUInt16BE(at + 2) < 2) return null;
    const startsFrame = marker <= 0xff_cf && ![0xff_c4, 0xff_c8, 0xff_cc].includes(marker);
    if (startsFrame) return [file.readUInt16BE(at + 7), file.readUInt16BE(at + 5)];
  }
  return null;
}

/** Lossy, lossless, or with a header of its own. */
function webpSize(file: Buffer): Size | null {
  if (file.length < 30 || file.toString("latin1", 0, 4) !== "RIFF") return null;
  if (file.toString("latin1", 8, 12) !== "WEBP") return null;
  switch (file.toString("latin1", 12, 16)) {
    case "VP8 ":
      return file.readUIntBE(23, 3) === 0x9d_01_2a
        ? [file.readUInt16LE(26) & 0x3fff, file.readUInt16LE(28) & 0x3fff]
        : null;
    case "VP8L": {
      const sides = file.readUInt32LE(21);
      return file[20] === 0x2f ? [(sides & 0x3fff) + 1, ((sides >>> 14) & 0x3fff) + 1] : null;
    }
    case "VP8X":
      return [file.readUIntLE(24, 3) + 1, file.readUIntLE(27, 3) + 1];
    default:
      return null;
  }
}

/**
 * The attributes of the root element of an SVG image; null if the text is none. Before the root, only an XML declaration,
 * comments and a DOCTYPE without declarations of its own are accepted: entities could multiply.
 */
function svgRoot(file: Uint8Array): ReadonlyMap<string, string> | null {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(file).trim();
  } catch {
    return null;
  }
  const head = text.slice(0, maxHeadLength);
  let start = 0;
  for (let match: RegExpExecArray | null; ; start += match[0].length) {
    beforeRoot.lastIndex = start;
    match = beforeRoot.exec(head);
    if (match === null) break;
  }
  rootTag.lastIndex = start;
  const tag = rootTag.exec(head);
  if (tag === null || !/(\/>|<\/svg\s*>)$/.test(text.slice(-20).trim())) return null;
  const attributes = new Map<string, string>();
  for (const [, name = "", value = ""] of tag[0].matchAll(attribute))
    attributes.set(name, value.slice(1, -1));
  return attributes.get("xmlns") === "http://www.w3.org/2000/svg" ? attributes : null;
}

/** The first tag of an image ends in this part, whatever comments and namespaces drawing programs write. */
const maxHeadLength = 65_536;

// Each reads a text once from where it starts. A comment ends at the first `-->`.
const beforeRoot = /\s+|<\?xml[^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE\s+svg[^[>]*>/iy;
const rootTag = /<svg(?=[\s/>])(?:"[^"]*"|'[^']*'|[^"'>])*>/y;
const attribute = /(?<![\w:.-])([\w:.-]{1,100})\s*=\s*("[^"]*"|'[^']*')/g;

/** An image without a size of its own would be shown at any size, or at none. */
function hasSize(attributes: ReadonlyMap<string, string>): boolean {
  const box = attributes
    .get("viewBox")
    ?.trim()
    .split(/[\s,]+/)
    .map(Number);
  if (box?.length === 4) return box.every(Number.isFinite) && isPositive(box[2]) && isPositive(box[3]);
  return isPositive(lengthOf(attributes.get("width"))) && isPositive(lengthOf(attributes.get("height")));
}

function lengthOf(text = ""): number {
  return Number(text.replace(/(px|pt|pc|mm|cm|in)$/, ""));
}

function isPositive(length: number | undefined): boolean {
  return length !== undefined && Number.isFinite(length) && length > 0;
}
