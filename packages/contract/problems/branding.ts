/** What can be wrong with a logo or an accent color. */
export const brandingFieldErrors = {
  accent_color_invalid: "must be a color such as #16755c",
  accent_contrast_too_low:
    "has too little contrast with white, so white text on it would be hard to read; {suggestion} has enough",
  logo_too_large: "must be smaller: at most {max_kib} KiB",
  logo_not_a_picture: "must be a PNG, JPEG, WebP or SVG file; this one is none of these, or is damaged",
  logo_without_size: "must have a viewBox, or a width and height",
  logo_wrong_size: "must have at most {max_pixels} × {max_pixels} pixels",
} as const;
