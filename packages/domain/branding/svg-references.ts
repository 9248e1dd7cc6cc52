import { type SvgElement, SvgRefusal } from "./svg-element.ts";
import { referencesIn } from "./svg-values.ts";
import { startTagLength } from "./svg-write.ts";

export const maxUses = 1_000;
/** How often a reference may lead to an element with another reference. */
export const maxReferenceDepth = 8;
/** The length of the file if every reference were replaced by a copy of its target. */
export const maxExpandedLength = 4 * 1_024 * 1_024;

/**
 * A small file can describe an endless picture if what is referred to refers further. So a `use` may only refer to
 * content without another `use`, no reference may lead back to itself, and the expanded length is bounded, which also
 * covers masks and clip paths.
 */
export function boundReferences(root: SvgElement): void {
  const targets = new Map<string, SvgElement>();
  collectTargets(root, targets);
  const uses = new Map<SvgElement, number>();
  if (countUses(root, uses) > maxUses) refuse();
  new Expansion(targets, uses).measure(root, 0);
}

function collectTargets(element: SvgElement, targets: Map<string, SvgElement>): void {
  const id = element.attributes.get("id");
  // An ID that occurs again is dropped, so that a reference has one meaning.
  if (id !== undefined && targets.has(id)) element.attributes.delete("id");
  else if (id !== undefined) targets.set(id, element);
  for (const child of childElements(element)) collectTargets(child, targets);
}

/** The number of `use` elements in an element, itself included, noted for every element in it. */
function countUses(element: SvgElement, uses: Map<SvgElement, number>): number {
  let count = element.name === "use" ? 1 : 0;
  for (const child of childElements(element)) count += countUses(child, uses);
  uses.set(element, count);
  return count;
}

interface Measure {
  readonly length: number;
  readonly referenceDepth: number;
}

class Expansion {
  readonly #targets: ReadonlyMap<string, SvgElement>;
  readonly #uses: ReadonlyMap<SvgElement, number>;
  readonly #measures = new Map<SvgElement, Measure | "in progress">();

  constructor(targets: ReadonlyMap<string, SvgElement>, uses: ReadonlyMap<SvgElement, number>) {
    this.#targets = targets;
    this.#uses = uses;
  }

  /** `followed` is the number of references on the way to the element; it bounds the recursion. */
  measure(element: SvgElement, followed: number): Measure {
    const known = this.#measures.get(element);
    if (known === "in progress" || followed > maxReferenceDepth) refuse();
    if (known !== undefined) return known;
    this.#measures.set(element, "in progress");
    let length = startTagLength(element);
    let referenceDepth = 0;
    for (const child of element.children) {
      const measured = typeof child === "string" ? textMeasure(child) : this.measure(child, followed);
      length += measured.length;
      referenceDepth = Math.max(referenceDepth, measured.referenceDepth);
    }
    for (const target of this.#referencesOf(element)) {
      const measured = this.measure(target, followed + 1);
      length += measured.length;
      referenceDepth = Math.max(referenceDepth, measured.referenceDepth + 1);
    }
    if (length > maxExpandedLength || referenceDepth > maxReferenceDepth) refuse();
    const measured = { length, referenceDepth };
    this.#measures.set(element, measured);
    return measured;
  }

  #referencesOf(element: SvgElement): SvgElement[] {
    const found: SvgElement[] = [];
    const targetId = targetIdOf(element);
    const target = targetId === undefined ? undefined : this.#targets.get(targetId);
    if (target !== undefined) {
      if (element.name === "use" && this.#uses.get(target) !== 0) refuse();
      found.push(target);
    }
    for (const value of element.attributes.values()) {
      for (const id of referencesIn(value)) {
        const referred = this.#targets.get(id);
        if (referred !== undefined) found.push(referred);
      }
    }
    return found;
  }
}

function textMeasure(text: string): Measure {
  return { length: text.length, referenceDepth: 0 };
}

function targetIdOf(element: SvgElement): string | undefined {
  return element.attributes.get("href")?.slice(1);
}

function childElements(element: SvgElement): SvgElement[] {
  return element.children.filter((child) => typeof child !== "string");
}

function refuse(): never {
  throw new SvgRefusal({ code: "logo_too_complex" });
}
