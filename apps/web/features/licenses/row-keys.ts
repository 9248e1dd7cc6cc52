import { type KeyboardEvent, useEffect, useEffectEvent } from "react";
import { drawRowsInSight } from "./rows-in-sight.ts";
import type { Selection } from "./selection.ts";

/** Arrows, or j and k, go from row to row; space or x chooses; Enter, being on a link, opens. */
export function useRowKeys(
  count: number,
  firstInSight: () => number,
  selection: Selection | null,
): (event: KeyboardEvent<HTMLElement>) => void {
  const focus = (index: number) => {
    if (index < 0 || index >= count) return;
    // Rows beyond both ends of what is in sight are drawn, so that the next one is there; the browser brings it in.
    linkOf(index)?.focus();
    drawRowsInSight();
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
    // On the checkbox or a button, space is theirs.
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
