/** Opens the palette, which is loaded on first use. */
const asked = new EventTarget();

export function openPalette(): void {
  asked.dispatchEvent(new Event("open"));
}

export function onPaletteOpen(open: () => void): () => void {
  asked.addEventListener("open", open);
  return () => asked.removeEventListener("open", open);
}
