import { useSyncExternalStore } from "react";

interface VisibleRows {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** Extra rows on both sides of the viewport, so that a scroll step shows no blank rows. */
const beyond = 8;

/** The rows of a long list to render. All rows have the same height, and the list starts at `topPx`. */
export function useVisibleRows(count: number, rowHeightPx: number, topPx: number): VisibleRows {
  // Row numbers, so that scrolling within one row renders nothing.
  const above = useSyncExternalStore(onMove, () => Math.floor((window.scrollY - topPx) / rowHeightPx));
  const fitting = useSyncExternalStore(onMove, () => Math.ceil(window.innerHeight / rowHeightPx));
  return visibleRows(count, above, fitting);
}

/** `above` is negative while the list starts below the top of the viewport. */
export function visibleRows(count: number, above: number, fitting: number): VisibleRows {
  const within = (row: number) => Math.min(Math.max(row, 0), count);
  return { first: within(above - beyond), end: within(above + fitting + 1 + beyond) };
}

/** Updates the rendered rows immediately. Browsers fire scroll events once per frame, and key presses can be faster. */
export function renderVisibleRows(): void {
  window.dispatchEvent(new Event("scroll"));
}

function onMove(notify: () => void): () => void {
  window.addEventListener("scroll", notify, { passive: true });
  window.addEventListener("resize", notify);
  return () => {
    window.removeEventListener("scroll", notify);
    window.removeEventListener("resize", notify);
  };
}
