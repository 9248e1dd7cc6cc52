import { type LogoFault, type RefusedLogo, refuseLogo } from "./logo-fault.ts";
import { shapes } from "./svg-allowed.ts";
import { type SvgElement, SvgRefusal } from "./svg-element.ts";
import { readSvg } from "./svg-read.ts";
import { boundReferences } from "./svg-references.ts";
import { sizeRoot } from "./svg-size.ts";
import { writeSvg } from "./svg-write.ts";

export type SanitizedSvgLogo = { readonly ok: true; readonly svg: string } | RefusedLogo;

export const maxSvgKib = 128;

/**
 * Writes an SVG logo again from what is known to be harmless. Elements and attributes that are not on the lists in
 * `svg-allowed.ts` are dropped, elements with all that they contain: scripts, event handlers, animations, links, filters,
 * foreign content and embedded images. References to anything but an element of the same file are dropped too.
 *
 * The file is refused if a drop could not be understood by its owner or its reader could be misled: a DOCTYPE
 * with declarations, a processing instruction, a CDATA section, a style sheet (the logo would lose its colours), an encoding other than
 * UTF-8, or bounds that are exceeded.
 *
 * The result is valid input and is returned unchanged by a second pass. Time is linear in the length of the file.
 */
export function sanitizeSvgLogo(file: Uint8Array): SanitizedSvgLogo {
  if (file.length > maxSvgKib * 1_024) return tooLarge;
  try {
    const root = readSvg(decode(file));
    sizeRoot(root);
    boundReferences(root);
    if (!drawsSomething(root)) return refuseLogo({ code: "logo_empty" });
    const svg = writeSvg(root);
    // Escaping can make the text longer than it was.
    return Buffer.byteLength(svg) > maxSvgKib * 1_024 ? tooLarge : { ok: true, svg };
  } catch (error) {
    if (error instanceof SvgRefusal) return refuseLogo(error.fault);
    throw error;
  }
}

const tooLarge = refuseLogo({ code: "logo_too_large", maxKib: maxSvgKib } satisfies LogoFault);

function decode(file: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(file);
  } catch {
    throw new SvgRefusal({ code: "logo_not_svg" });
  }
}

function drawsSomething(element: SvgElement): boolean {
  return (
    shapes.has(element.name) ||
    element.children.some((child) => typeof child !== "string" && drawsSomething(child))
  );
}
