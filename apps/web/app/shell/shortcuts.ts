import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useMay, useOrganizationOrNull } from "../here.ts";
import { places } from "./navigation.ts";
import { openPalette } from "./palette-door.ts";
import { openShortcutSheet } from "./shortcut-sheet-door.ts";

const patienceMs = 1_200;

/** Ctrl-K or Cmd-K, "/" and "?" anywhere; "g" and a letter to go somewhere; "n" for a new license. */
export function useShortcuts(): void {
  const navigate = useNavigate();
  const here = useOrganizationOrNull();
  const may = useMay();
  useEffect(() => {
    let going = 0;
    const hear = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (Date.now() - going < patienceMs && here !== null) {
        going = 0;
        const place = places.flat().find(({ key }) => key === event.key);
        if (place !== undefined && (place.any.length === 0 || may(...place.any)))
          void navigate({ to: `/o/${here.slug}/${place.path}` as "/" });
        return;
      }
      if (event.key === "g") going = Date.now();
      else if (event.key === "/") {
        event.preventDefault();
        openPalette();
      } else if (event.key === "?") openShortcutSheet();
      else if (event.key === "n" && here !== null && may("licenses:create"))
        void navigate({ to: `/o/${here.slug}/licenses/new` as "/" });
    };
    window.addEventListener("keydown", hear);
    return () => window.removeEventListener("keydown", hear);
  }, [navigate, here, may]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}
