import { type SvgElement, svgNamespace } from "./svg-element.ts";

/** The element as XML. The root declares the only namespace that occurs. */
export function writeSvg(root: SvgElement): string {
  const parts: string[] = [];
  write(root, ` xmlns="${svgNamespace}"`, parts);
  return parts.join("");
}

/** The length of the element without its content, before anything is escaped. */
export function startTagLength(element: SvgElement): number {
  let length = element.name.length + "</>".length;
  for (const [name, value] of element.attributes) length += name.length + value.length + ' =""'.length;
  return length;
}

function write(element: SvgElement, declaration: string, parts: string[]): void {
  parts.push("<", element.name, declaration);
  for (const [name, value] of element.attributes) parts.push(" ", name, '="', escapeXml(value), '"');
  if (element.children.length === 0) {
    parts.push("/>");
    return;
  }
  parts.push(">");
  for (const child of element.children) {
    if (typeof child === "string") parts.push(escapeXml(child));
    else write(child, "", parts);
  }
  parts.push("</", element.name, ">");
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
