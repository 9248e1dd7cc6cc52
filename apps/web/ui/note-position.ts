/** Where a notification can be shown. */
type NotePosition = "bottom-left" | "bottom-center" | "top-center";

/** What a notification would cover. */
interface Covered {
  /** Submit buttons, and the focused field. */
  readonly needed: number;
  /** All controls. */
  readonly controls: number;
}

/** The bottom, unless that covers more than the top. What is needed now counts most. */
export function positionCoveringLess(bottom: Covered, top: Covered): "bottom-center" | "top-center" {
  if (bottom.needed !== top.needed) return bottom.needed < top.needed ? "bottom-center" : "top-center";
  return bottom.controls <= top.controls ? "bottom-center" : "top-center";
}

/** On a desktop there is room below the navigation; on a phone a notification covers part of the page. */
export function notePosition(): NotePosition {
  if (window.matchMedia("(min-width: 48em)").matches) return "bottom-left";
  const height = window.innerHeight;
  return positionCoveringLess(
    coveredBetween(height - noteHeight - margin, height - margin),
    coveredBetween(headerHeight + margin / 2, headerHeight + margin / 2 + noteHeight),
  );
}

const margin = 16;
const headerHeight = 52;
/** The height of two lines. */
const noteHeight = 72;

function coveredBetween(top: number, bottom: number): Covered {
  const found = new Set<Element>();
  for (let y = top; y <= bottom; y += 12)
    for (let x = margin; x < window.innerWidth - margin; x += 16) {
      const control = document
        .elementsFromPoint(x, y)
        .find((element) => element.closest(".mantine-Notifications-root") === null)
        ?.closest("button, a[href], input, select, textarea, label, [role=switch]");
      if (control != null) found.add(control);
    }
  const needed = [...found].filter(
    (control) => control.matches("button[type=submit]") || control === document.activeElement,
  );
  return { needed: needed.length, controls: found.size };
}
