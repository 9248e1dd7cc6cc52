import classes from "./chart.module.css";
import type { Tone } from "./series.ts";

/** In front of a tone's colour, so that tones differ also without colour. The first tone and `rest` are plain. */
const patterns = [
  null,
  "M-1 1l2 -2M0 6l6 -6M5 7l2 -2",
  "M1.5 1.5h1.4v1.4h-1.4zM4.5 4.5h1.4v1.4h-1.4z",
  "M0 3h6",
  "M-1 5l2 2M0 0l6 6M5 -1l2 2",
  "M3 0v6",
  "M0 3h6M3 0v6",
] as const;

export function patternOf(tone: Tone): string {
  return typeof tone === "number" && patterns[tone] != null ? `url(#tone-${tone})` : "none";
}

/** The definitions. Every chart has the same, so that it does not matter which of them a browser finds. */
export function Patterns() {
  return (
    <defs>
      {patterns.map((path, tone) =>
        path === null ? null : (
          <pattern key={path} id={`tone-${tone}`} width={6} height={6} patternUnits="userSpaceOnUse">
            <path d={path} className={classes.pattern} />
          </pattern>
        ),
      )}
    </defs>
  );
}
