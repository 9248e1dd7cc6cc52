import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useCurrentOrLastOrganization } from "../../session/current-organization.ts";
import { mayOpen, navigationItems } from "../../session/navigation.ts";
import { paths } from "../../session/paths.ts";

/** How long "g" waits for its second key. */
const secondKeyTimeoutMs = 1_200;

/** What is opened from elsewhere, also before it is loaded. */
const palette = new EventTarget();
const shortcutSheet = new EventTarget();

export const openPalette = () => void palette.dispatchEvent(new Event("open"));
export const onPaletteOpen = (open: () => void) => listen(palette, open);
const openShortcutSheet = () => void shortcutSheet.dispatchEvent(new Event("open"));
export const onShortcutSheetOpen = (open: () => void) => listen(shortcutSheet, open);

function listen(target: EventTarget, open: () => void): () => void {
  target.addEventListener("open", open);
  return () => target.removeEventListener("open", open);
}

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
      if (isTyping(event.target) || hasOpenOverlay()) return;
      if (Date.now() - going < secondKeyTimeoutMs && near !== null) {
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
function hasOpenOverlay(): boolean {
  return document.querySelector('[role="dialog"], [role="menu"]') !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}
