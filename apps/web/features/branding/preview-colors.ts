import {
  checkAccentColor,
  darkModeAccent,
  lightestDarkSurface,
} from "@countersign/domain/branding/accent-color";
import { colorOf } from "./branding-draft.ts";

/** The portal's accent color on light pages for sellers who chose none. */
export const ownAccent = "#16755c";

/** As the portal would use the color: one with too little contrast is shown as the darker one that is suggested. */
export function previewAccent(typed: string): Record<`--${string}`, string> {
  const checked = checkAccentColor(colorOf(typed));
  const accent = checked.ok
    ? checked.color
    : checked.fault.code === "accent_contrast_too_low"
      ? checked.fault.suggestion
      : null;
  if (accent === null)
    return {
      "--accent": `light-dark(${ownAccent}, #4fac91)`,
      "--on-accent": "light-dark(#ffffff, #06231b)",
    };
  const dark = darkModeAccent(accent, lightestDarkSurface);
  return {
    "--accent": `light-dark(${accent}, ${dark.color})`,
    "--on-accent": `light-dark(#ffffff, ${dark.textColor})`,
  };
}
