import type { Seller } from "./api.ts";

type Colours = Pick<Seller, "accent_color" | "accent_color_dark" | "accent_text_dark">;

/** The CSS variables for a seller's accent colour; none without a colour. */
export function accentStyle(seller: Colours | null): Record<`--${string}`, string> {
  const light = colour(seller?.accent_color);
  const dark = colour(seller?.accent_color_dark);
  const onDark = colour(seller?.accent_text_dark);
  if (light === null || dark === null || onDark === null) return {};
  return {
    "--accent": `light-dark(${light}, ${dark})`,
    "--accent-text": `light-dark(${light}, ${dark})`,
    "--on-accent": `light-dark(#ffffff, ${onDark})`,
  };
}

function colour(text: string | null | undefined): string | null {
  return text !== null && text !== undefined && /^#[0-9a-f]{6}$/i.test(text) ? text : null;
}
