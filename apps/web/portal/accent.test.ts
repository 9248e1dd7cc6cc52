import { expect, test } from "bun:test";
import { accentStyle } from "./accent.ts";

const colours = { accent_color: "#7a1fa2", accent_color_dark: "#d19be8", accent_text_dark: "#22052e" };

test("a seller's colour replaces the portal's in both themes", () => {
  expect(accentStyle(colours)).toEqual({
    "--accent": "light-dark(#7a1fa2, #d19be8)",
    "--accent-text": "light-dark(#7a1fa2, #d19be8)",
    "--on-accent": "light-dark(#ffffff, #22052e)",
  });
});

test.each([
  null,
  { ...colours, accent_color: null },
  { ...colours, accent_color: "red; background: url(https://elsewhere.example)" },
  { ...colours, accent_color_dark: "#fff" },
  { ...colours, accent_text_dark: "var(--body)" },
])("%j leaves the portal's colours", (seller) => expect(accentStyle(seller)).toEqual({}));
