import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { onPaletteOpen } from "./shortcuts.ts";

const Palette = lazy(() => import("./palette.tsx").then((module) => ({ default: module.Palette })));

export function LazyPalette() {
  const [times, setTimes] = useState(0);
  const typed = useRef("");
  const loading = useRef<AbortController>(null);
  const isThere = useCallback(() => loading.current?.abort(), []);
  useEffect(
    () =>
      onPaletteOpen(() => {
        loading.current ??= keepKeys((key) => {
          typed.current += key;
        });
        setTimes((before) => before + 1);
      }),
    [],
  );
  return times === 0 ? null : (
    <Suspense fallback={null}>
      <Palette times={times} typed={typed} onThere={isThere} />
    </Suspense>
  );
}

/** Keys pressed while the palette is loading are for the palette, not for the page. */
function keepKeys(keep: (key: string) => void): AbortController {
  const until = new AbortController();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (event.key.length === 1) keep(event.key);
  };
  window.addEventListener("keydown", onKeyDown, { capture: true, signal: until.signal });
  return until;
}
