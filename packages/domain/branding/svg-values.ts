import { allowedAttributes, allowedInStyle, referringProperties } from "./svg-allowed.ts";

/** The value of an attribute as it is written; null if the attribute is dropped. */
export function allowedValue(name: string, value: string): string | null {
  const oneLine = value.replace(/[\t\n\r]/g, " ");
  if (name === "style") return allowedStyle(oneLine);
  if (name === "id") return idPattern.test(oneLine) ? oneLine : null;
  return allowedAttributes.has(name) && isHarmless(name, oneLine) ? oneLine : null;
}

/** The ID in `#id`; null for every other reference. */
export function localReference(value: string): string | null {
  const text = value.trim();
  return text.startsWith("#") && idPattern.test(text.slice(1)) ? text.slice(1) : null;
}

/** The IDs in all `url(#id)` of a value that is allowed. */
export function referencesIn(value: string): string[] {
  return Array.from(value.matchAll(localUrls), (match) => match[2] ?? "");
}

const id = "[\\p{L}_][\\p{L}\\p{N}_.-]{0,127}";
const idPattern = new RegExp(`^${id}$`, "u");
const localUrls = new RegExp(`\\burl\\( *(["']?)#(${id})\\1 *\\)`, "giu");

/** Functions that compute a colour or a transformation. */
const functions = new Set([
  ...["rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color"],
  ...["matrix", "translate", "translatex", "translatey", "scale", "scalex", "scaley"],
  ...["rotate", "skew", "skewx", "skewy"],
]);

/**
 * No value needs a colon, a backslash or an at sign, and without them there is no URL with a scheme, no CSS escape and
 * no CSS rule. Comments need an asterisk. Brackets only follow known functions.
 */
function isHarmless(property: string, value: string): boolean {
  if (!/^[\p{L}\p{M}\p{N} #%.,()+\-/'"_]*$/u.test(value) || value.includes("//")) return false;
  if (!hasClosedQuotes(value)) return false;
  const rest = referringProperties.has(property) ? value.replace(localUrls, ",") : value;
  for (let at = rest.indexOf("("); at >= 0; at = rest.indexOf("(", at + 1)) {
    // A few characters are enough for the longest name, and keep the time linear.
    const before = rest.slice(Math.max(0, at - 20), at).trimEnd();
    if (!functions.has((/[\p{L}\p{M}\p{N}_-]*$/u.exec(before)?.[0] ?? "").toLowerCase())) return false;
  }
  return true;
}

function hasClosedQuotes(value: string): boolean {
  let open = "";
  for (const character of value) {
    if (character !== '"' && character !== "'") continue;
    if (open === "") open = character;
    else if (open === character) open = "";
  }
  return open === "";
}

/** The known properties of a style attribute; null if there are none. */
function allowedStyle(style: string): string | null {
  const declarations = new Map<string, string>();
  for (const declaration of style.split(";")) {
    const colon = declaration.indexOf(":");
    if (colon < 0) continue;
    const property = declaration.slice(0, colon).trim().toLowerCase();
    const value = declaration.slice(colon + 1).trim();
    if (value === "" || !allowedInStyle.has(property) || !isHarmless(property, value)) continue;
    declarations.set(property, value);
  }
  if (declarations.size === 0) return null;
  return Array.from(declarations, ([property, value]) => `${property}:${value}`).join(";");
}
