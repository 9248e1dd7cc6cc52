/** Where a note can be. */
export type NotePlace = "bottom-left" | "bottom-center" | "top-center";

/** What lies under a place. */
export interface Covered {
  /** Buttons that send a form, and the field that somebody is in. */
  readonly needed: number;
  /** All controls. */
  readonly controls: number;
}

/** The bottom, unless that hides more than the top would. What is needed now weighs more than anything else. */
export function lessCovering(bottom: Covered, top: Covered): "bottom-center" | "top-center" {
  if (bottom.needed !== top.needed) return bottom.needed < top.needed ? "bottom-center" : "top-center";
  return bottom.controls <= top.controls ? "bottom-center" : "top-center";
}

/** Beside the page there is room at the foot of the navigation; on a phone a note lies on the page, so it looks first. */
export function notePlace(): NotePlace {
  if (window.matchMedia("(min-width: 48em)").matches) return "bottom-left";
  const height = window.innerHeight;
  return lessCovering(
    coveredBetween(height - noteHeight - margin, height - margin),
    coveredBetween(headerHeight + margin / 2, headerHeight + margin / 2 + noteHeight),
  );
}

const margin = 16;
const headerHeight = 52;
/** Of two lines. */
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
