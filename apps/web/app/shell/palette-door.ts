/** The palette is loaded when it is first opened; until then this is all of it. */
const asked = new EventTarget();

export function openPalette(): void {
  asked.dispatchEvent(new Event("open"));
}

export function whenPaletteIsAsked(open: () => void): () => void {
  asked.addEventListener("open", open);
  return () => asked.removeEventListener("open", open);
}
