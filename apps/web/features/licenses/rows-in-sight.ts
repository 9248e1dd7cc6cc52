import { useSyncExternalStore } from "react";

export interface RowsInSight {
  readonly first: number;
  /** The one after the last. */
  readonly end: number;
}

/** Beyond both ends of the window: what a turn of the wheel brings is there already. */
const beyond = 8;

/** Which rows of a long list are to be drawn. Each is as high as the others, and the list begins at `topPx`. */
export function useRowsInSight(count: number, rowHeightPx: number, topPx: number): RowsInSight {
  // Row numbers, so that scrolling within one row renders nothing.
  const above = useSyncExternalStore(onMove, () => Math.floor((window.scrollY - topPx) / rowHeightPx));
  const fitting = useSyncExternalStore(onMove, () => Math.ceil(window.innerHeight / rowHeightPx));
  return rowsInSight(count, above, fitting);
}

/** `above` is negative while the list begins further down. */
export function rowsInSight(count: number, above: number, fitting: number): RowsInSight {
  const within = (row: number) => Math.min(Math.max(row, 0), count);
  return { first: within(above - beyond), end: within(above + fitting + 1 + beyond) };
}

/**
 * Draws what the page has come to, before anything else happens. The browser tells of a scroll with its next picture,
 * and keys may come faster than pictures.
 */
export function drawRowsInSight(): void {
  window.dispatchEvent(new Event("scroll"));
}

function onMove(tell: () => void): () => void {
  window.addEventListener("scroll", tell, { passive: true });
  window.addEventListener("resize", tell);
  return () => {
    window.removeEventListener("scroll", tell);
    window.removeEventListener("resize", tell);
  };
}
