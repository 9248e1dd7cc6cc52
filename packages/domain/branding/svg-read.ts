import { SaxesParser, type SaxesTagNS } from "saxes";
import { allowedElements, gradients, textElements, unwrappedElements } from "./svg-allowed.ts";
import { type SvgElement, SvgRefusal, svgNamespace } from "./svg-element.ts";
import { allowedValue, localReference } from "./svg-values.ts";

export const maxDepth = 32;
export const maxElements = 5_000;
export const maxAttributesPerElement = 256;
export const maxAttributeLength = 64 * 1_024;

/** Parses strictly, as XML with namespaces, and keeps what is allowed. Bounds end the parsing at once. */
export function readSvg(text: string): SvgElement {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const tree = new TreeBuilder();
  let elements = 0;
  let depth = 0;
  let attributes = 0;
  parser.on("error", () => refuse("logo_not_svg"));
  parser.on("xmldecl", ({ version, encoding }) => {
    if (version !== "1.0" || (encoding ?? "utf-8").toLowerCase() !== "utf-8") refuse("logo_not_svg");
  });
  // Many drawing programs write one that names the SVG DTD. Nothing is loaded from there, and it is dropped. One with
  // its own declarations could define entities and attributes.
  parser.on("doctype", (declared) => {
    if (declared.includes("[")) refuseMarkup("<!DOCTYPE>");
  });
  parser.on("processinginstruction", ({ target }) => refuseMarkup(`<?${target.slice(0, 40)}?>`));
  parser.on("cdata", () => refuseMarkup(tree.isInStyle ? "<style>" : "<![CDATA[ ]]>"));
  parser.on("opentagstart", () => {
    elements++;
    depth++;
    attributes = 0;
    if (elements > maxElements || depth > maxDepth) refuse("logo_too_complex");
  });
  parser.on("attribute", ({ value }) => {
    attributes++;
    if (attributes > maxAttributesPerElement || value.length > maxAttributeLength) refuse("logo_too_complex");
  });
  parser.on("opentag", (tag) => tree.open(tag));
  parser.on("text", (content) => tree.addText(content));
  parser.on("closetag", () => {
    depth--;
    tree.close();
  });
  parser.write(text).close();
  return tree.root ?? refuse("logo_not_svg");
}

class TreeBuilder {
  root: SvgElement | null = null;
  isInStyle = false;
  /** The namespace of the root. Markup copied from a web page has none; it is taken for SVG. */
  #namespace = "";
  /** Where children of the open elements go; null inside a dropped one. */
  readonly #parents: (SvgElement | null)[] = [];

  open(tag: SaxesTagNS): void {
    if (this.root === null) {
      this.#openRoot(tag);
      return;
    }
    const parent = this.#parents.at(-1) ?? null;
    const name = tag.uri === this.#namespace ? tag.local : "";
    this.isInStyle = name === "style";
    if (parent === null || !allowedElements.has(name)) {
      this.#parents.push(unwrappedElements.has(name) ? parent : null);
      return;
    }
    const element = this.#elementOf(tag);
    const isUse = name === "use";
    if (!isUse || element.attributes.has("href")) parent.children.push(element);
    // What is inside a `use` is never drawn.
    this.#parents.push(isUse ? null : element);
  }

  close(): void {
    this.isInStyle = false;
    this.#parents.pop();
  }

  addText(content: string): void {
    if (this.isInStyle && content.trim() !== "") refuseMarkup("<style>");
    const parent = this.#parents.at(-1) ?? null;
    if (parent === null || !textElements.has(parent.name)) return;
    // A dropped element or comment leaves two texts, which a second pass would read as one.
    const last = parent.children.at(-1);
    const text = content.replaceAll("\r", " ");
    if (typeof last === "string") parent.children[parent.children.length - 1] = last + text;
    else parent.children.push(text);
  }

  #openRoot(tag: SaxesTagNS): void {
    if (tag.local !== "svg" || (tag.uri !== svgNamespace && tag.uri !== "")) refuse("logo_not_svg");
    this.#namespace = tag.uri;
    this.root = this.#elementOf(tag);
    this.#parents.push(this.root);
  }

  #elementOf(tag: SaxesTagNS): SvgElement {
    const attributes = new Map<string, string>();
    let href: string | null = null;
    for (const { name, local, uri, value } of Object.values(tag.attributes)) {
      // `href` takes precedence over its older form, as in browsers.
      if (name === "href" || (uri === xlinkNamespace && local === "href")) {
        href = name === "href" ? value : (href ?? value);
        continue;
      }
      // The name includes the prefix, so attributes of other namespaces are on no list.
      const allowed = allowedValue(name, value);
      if (allowed !== null) attributes.set(name, allowed);
    }
    const target = href === null ? null : localReference(href);
    if (target !== null && (tag.local === "use" || gradients.has(tag.local)))
      attributes.set("href", `#${target}`);
    return { name: tag.local, attributes, children: [] };
  }
}

const xlinkNamespace = "http://www.w3.org/1999/xlink";

function refuse(code: "logo_not_svg" | "logo_too_complex"): never {
  throw new SvgRefusal({ code });
}

function refuseMarkup(markup: string): never {
  throw new SvgRefusal({ code: "logo_unsupported_markup", markup });
}
