import { lazy, Suspense, useEffect, useState } from "react";
import { whenPaletteIsAsked } from "./palette-door.ts";

const Palette = lazy(() => import("./palette.tsx").then((module) => ({ default: module.Palette })));

export function LazyPalette() {
  const [times, setTimes] = useState(0);
  useEffect(() => whenPaletteIsAsked(() => setTimes((before) => before + 1)), []);
  return times === 0 ? null : (
    <Suspense fallback={null}>
      <Palette times={times} />
    </Suspense>
  );
}
