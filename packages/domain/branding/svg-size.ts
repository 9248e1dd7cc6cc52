import { type SvgElement, SvgRefusal } from "./svg-element.ts";

export const maxSide = 100_000;

/** Gives the root a `viewBox`, so that the logo fits every place. A size that is out of bounds is dropped. */
export function sizeRoot({ attributes }: SvgElement): void {
  const width = pixels(attributes.get("width"));
  const height = pixels(attributes.get("height"));
  if (width === null) attributes.delete("width");
  if (height === null) attributes.delete("height");
  if (isViewBox(attributes.get("viewBox"))) return;
  if (attributes.has("viewBox") || width === null || height === null)
    throw new SvgRefusal({ code: "logo_without_size" });
  attributes.set("viewBox", `0 0 ${width} ${height}`);
}

function isViewBox(text: string | undefined): boolean {
  if (text === undefined || text.length > 200) return false;
  const [x, y, width, height, ...more] = text.trim().split(/[ ,]+/).map(decimal);
  if (x == null || y == null || width == null || height == null || more.length > 0) return false;
  return Math.abs(x) <= maxSide && Math.abs(y) <= maxSide && isSide(width) && isSide(height);
}

/** A length in pixels, rounded; null for a percentage, another unit or one out of bounds. */
function pixels(text: string | undefined): number | null {
  const match = /^(.{1,30}?)(px|pt|pc|mm|cm|in)?$/.exec(text?.trim() ?? "");
  const number = decimal(match?.[1] ?? "");
  if (number === null) return null;
  const length = Math.round(number * (pixelsPerUnit.get(match?.[2] ?? "px") ?? Number.NaN) * 1_000) / 1_000;
  return isSide(length) ? length : null;
}

function isSide(length: number): boolean {
  return length >= 0.001 && length <= maxSide;
}

function decimal(text: string): number | null {
  return text.length <= 30 && /^[+-]?(\d+\.?|\d*\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : null;
}

const pixelsPerUnit: ReadonlyMap<string, number> = new Map([
  ["px", 1],
  ["pt", 96 / 72],
  ["pc", 16],
  ["mm", 96 / 25.4],
  ["cm", 96 / 2.54],
  ["in", 96],
]);
