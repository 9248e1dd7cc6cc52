const asked = new EventTarget();

export function openShortcutSheet(): void {
  asked.dispatchEvent(new Event("open"));
}

export function onShortcutSheetOpen(open: () => void): () => void {
  asked.addEventListener("open", open);
  return () => asked.removeEventListener("open", open);
}
