import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useCurrentOrLastOrganization } from "../../session/current-organization.ts";
import { mayOpen } from "../../session/may-open.ts";
import { navigationItems } from "../../session/navigation.ts";
import { paths } from "../../session/paths.ts";
import { openPalette } from "./palette-events.ts";
import { openShortcutSheet } from "./shortcut-sheet-events.ts";

const patienceMs = 1_200;

export const paletteKeys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘K" : "Ctrl K";

/** Ctrl-K or Cmd-K, "/" and "?" anywhere; "g" and a letter to open a page; "n" for a new license. */
export function useShortcuts(): void {
  const navigate = useNavigate();
  const near = useCurrentOrLastOrganization();
  useEffect(() => {
    let going = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || isAskedSomething()) return;
      if (Date.now() - going < patienceMs && near !== null) {
        going = 0;
        const index = navigationItems.flat().find(({ key }) => key === event.key.toLowerCase());
        if (index !== undefined && mayOpen(near, index.path)) void navigate(index.page(near.slug));
        return;
      }
      if (event.key === "g") going = Date.now();
      else if (event.key === "/") {
        event.preventDefault();
        openPalette();
      } else if (event.key === "?") openShortcutSheet();
      else if (event.key === "n" && near !== null && mayOpen(near, "licenses/new"))
        void navigate(paths.newLicense(near.slug));
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [navigate, near]);
}

/** While a dialog or a menu is open, it gets the keys, so that no keystroke leaves a half-filled form. */
function isAskedSomething(): boolean {
  return document.querySelector('[role="dialog"], [role="menu"]') !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}
