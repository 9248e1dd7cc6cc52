import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { listed } from "../../../tests/support/listed.ts";
import { checkAccentColor, contrast, darkModeAccent, minContrast, parseColor } from "./accent-color.ts";

const colorUpTo = (most: number) => fc.tuple(fc.nat(most), fc.nat(most), fc.nat(most)).map(written);
const anyColor = colorUpTo(255);
const examples = 5_000;

describe("accent colours", () => {
  test.each([
    ["#000000", { ok: true, color: "#000000" }],
    ["#1D4ED8", { ok: true, color: "#1d4ed8" }],
    ["#767676", { ok: true, color: "#767676" }],
    ["#777777", tooLow("#767676")],
    ["#ffffff", tooLow("#767676")],
    ["#ff0000", tooLow("#ee0000")],
    ["#00ff00", tooLow("#008a00")],
    ["#ffff00", tooLow("#7a7a00")],
    ["#FFCCCC", tooLow("#8b6f6f")],
  ])("the check of the accent colour %s results in %j", (text, checked) => {
    expect(checkAccentColor(text)).toEqual(checked as ReturnType<typeof checkAccentColor>);
  });

  test.each([
    ...["", " #123456", "#123456\n", "#00 000", "#000000;background:url(//example.com)"],
    ...listed("#fff #12345 #1234567 #12345678 123456 #12345g #１２３４５６ red rgb(0,0,0) #+12345"),
  ])("%j is not a colour", (text) => {
    expect(checkAccentColor(text)).toEqual({ ok: false, fault: { code: "accent_color_invalid" } });
  });

  test("a colour with enough contrast to white is kept, and the suggestion for any other has enough", () =>
    forAll(examples, [anyColor], (text) => {
      const checked = checkAccentColor(text);
      if (contrastOf(text, "#ffffff") >= minContrast)
        return expect(checked).toEqual({ ok: true, color: text });
      if (checked.ok || checked.fault.code !== "accent_contrast_too_low") throw new Error("not refused");
      expect(contrastOf(checked.fault.suggestion, "#ffffff")).toBeGreaterThanOrEqual(minContrast);
      expect(checkAccentColor(checked.fault.suggestion).ok).toBe(true);
    }));

  test("a suggestion has the same hue, and the next lighter step has too little contrast", () =>
    forAll(examples, [anyColor], (text) => {
      const checked = checkAccentColor(text);
      if (checked.ok || checked.fault.code !== "accent_contrast_too_low") return;
      const before = channels(text);
      const after = channels(checked.fault.suggestion);
      const brightest = Math.max(...before);
      const level = Math.max(...after);
      expect(level).toBeLessThan(brightest);
      const scaledTo = (to: number) => before.map((channel) => Math.round((channel * to) / brightest));
      expect(after).toEqual(scaledTo(level));
      expect(checkAccentColor(written(scaledTo(level + 1))).ok).toBe(false);
    }));
});

describe("dark mode", () => {
  const darkBackground = colorUpTo(0x40);

  test.each([
    ["#ffffff", "#000000", { color: "#ffffff", textColor: "#000000" }],
    ["#000000", "#000000", { color: "#757575", textColor: "#ffffff" }],
    ["#1d4ed8", "#0b0f19", { color: "#4f75e1", textColor: "#000000" }],
  ])("in dark mode, the accent colour %s on %s becomes %j", (accent, background, expected) => {
    expect(darkModeAccent(accent, background)).toEqual(expected as ReturnType<typeof darkModeAccent>);
  });

  test("in dark mode, the colour has enough contrast with the page, and so has its text with the colour", () =>
    forAll(examples, [anyColor, darkBackground], (accent, background) => {
      const { color, textColor } = darkModeAccent(accent, background);
      expect(contrastOf(color, background)).toBeGreaterThanOrEqual(minContrast);
      expect(contrastOf(color, textColor)).toBeGreaterThanOrEqual(minContrast);
      const before = channels(accent);
      channels(color).forEach((channel, index) => {
        expect(channel).toBeGreaterThanOrEqual(before[index] ?? 0);
      });
    }));

  test("in dark mode, the accent colour is kept if it has enough contrast", () =>
    forAll(examples, [anyColor, darkBackground], (accent, background) => {
      fc.pre(contrastOf(accent, background) >= minContrast);
      expect(darkModeAccent(accent, background).color).toBe(accent);
    }));

  test("in dark mode, no colour is computed for a background on which not even white is legible", () => {
    expect(() => darkModeAccent("#000000", "#888888")).toThrow("darker background");
    expect(() => darkModeAccent("blue", "#000000")).toThrow("#rrggbb");
  });
});

test("contrast follows the examples of WCAG", () => {
  expect(contrastOf("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrastOf("#ffffff", "#ffffff")).toBe(1);
  expect(contrastOf("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
  expect(contrastOf("#ffffff", "#0000ff")).toBeCloseTo(8.59, 2);
});

function tooLow(suggestion: string) {
  return { ok: false, fault: { code: "accent_contrast_too_low", suggestion } };
}

function contrastOf(a: string, b: string): number {
  return contrast(parsed(a), parsed(b));
}

function channels(text: string): number[] {
  return Object.values(parsed(text));
}

function parsed(text: string) {
  const color = parseColor(text);
  if (color === null) throw new Error(`${text} is not a colour`);
  return color;
}

function written(colorChannels: readonly number[]): string {
  return `#${colorChannels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}
