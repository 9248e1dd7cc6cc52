import { type KeyboardEvent, useEffect, useEffectEvent, useSyncExternalStore } from "react";
import type { Selection } from "./selection.ts";

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

/** Arrows, or j and k, move between rows; space or x selects; Enter opens, because the focus is on a link. */
export function useRowKeys(
  count: number,
  firstInSight: () => number,
  selection: Selection | null,
): (event: KeyboardEvent<HTMLElement>) => void {
  const focus = (index: number) => {
    if (index < 0 || index >= count) return;
    // Rows just outside the viewport are rendered, so the next one exists. The browser scrolls to it.
    linkOf(index)?.focus();
    renderVisibleRows();
  };
  const begin = useEffectEvent((event: globalThis.KeyboardEvent) => {
    if (document.activeElement !== document.body || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== "j" && event.key !== "k") return;
    event.preventDefault();
    focus(firstInSight());
  });
  useEffect(() => {
    window.addEventListener("keydown", begin);
    return () => window.removeEventListener("keydown", begin);
  }, []);
  return (event) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-license-row]");
    if (row === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const index = Number(row.dataset.licenseRow);
    // On the checkbox or a button, space keeps its native action.
    const isLink = event.target instanceof HTMLAnchorElement;
    const isDown = event.key === "ArrowDown" || event.key === "j";
    const isUp = event.key === "ArrowUp" || event.key === "k";
    if (isDown || isUp) {
      event.preventDefault();
      focus(index + (isDown ? 1 : -1));
    } else if (selection !== null && (event.key.toLowerCase() === "x" || (event.key === " " && isLink))) {
      event.preventDefault();
      selection.toggle(index, event.shiftKey);
    }
  };
}

function linkOf(index: number): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-license-row="${index}"] a`);
}

/** Updates the rendered rows immediately. Browsers fire scroll events once per frame, and key presses can be faster. */
function renderVisibleRows(): void {
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
