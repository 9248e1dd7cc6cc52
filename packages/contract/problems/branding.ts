/** What can be wrong with a logo or an accent color. */
export const brandingFieldErrors = {
  accent_color_invalid: "must be a color such as #16755c",
  accent_contrast_too_low:
    "has too little contrast with white, so white text on it would be hard to read; {suggestion} has enough",
  logo_too_large: "must be smaller: at most {max_kib} KiB",
  logo_not_svg: "must be a PNG or SVG file; this one is neither, or is damaged",
  logo_unsupported_markup:
    "contains {markup}, which a logo cannot contain; export it as a plain SVG with presentation attributes",
  logo_too_complex: "has too many or too deeply nested elements; simplify it, or use a PNG file",
  logo_empty: "would show nothing, because only shapes and texts are kept; use a PNG file for a picture",
  logo_without_size: "must have a viewBox, or a width and height, of a usable size",
  logo_not_png: "must be a valid PNG file; this one is damaged",
  logo_wrong_size: "must have at most {max_pixels} × {max_pixels} pixels",
} as const;
