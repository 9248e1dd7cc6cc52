/** Why a file cannot be the logo of an organization. The parameters are for the text of the refusal. */
export type LogoFault =
  | { readonly code: "logo_too_large"; readonly maxKib: number }
  /** Not UTF-8, not well-formed XML, or no SVG image. */
  | { readonly code: "logo_not_svg" }
  /** Well-formed markup that is never accepted, as it is spelled in the file, such as `<!DOCTYPE>`. */
  | { readonly code: "logo_unsupported_markup"; readonly markup: string }
  /** Too many or too deeply nested elements, an attribute that is too long, or references that multiply. */
  | { readonly code: "logo_too_complex" }
  /** Nothing would be visible, for example because the file only wraps an embedded photo. */
  | { readonly code: "logo_empty" }
  /** No `viewBox` and no `width` and `height`, or out of bounds. */
  | { readonly code: "logo_without_size" }
  /** No PNG image, or a damaged one. */
  | { readonly code: "logo_not_png" }
  | { readonly code: "logo_wrong_size"; readonly maxPixels: number };

export interface RefusedLogo {
  readonly ok: false;
  readonly fault: LogoFault;
}

export function refuseLogo(fault: LogoFault): RefusedLogo {
  return { ok: false, fault };
}
