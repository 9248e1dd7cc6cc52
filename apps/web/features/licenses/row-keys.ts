import { type KeyboardEvent, useEffect, useEffectEvent } from "react";
import type { Selection } from "./selection.ts";
import { renderVisibleRows } from "./visible-rows.ts";

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
