import { expect, test } from "bun:test";
import { positionCoveringLess } from "./notify.tsx";

test.each([
  ["nothing at either end", [0, 0], [0, 0], "bottom-center"],
  ["a button that saves at the bottom", [1, 1], [0, 4], "top-center"],
  ["a button that saves at the top", [0, 4], [1, 1], "bottom-center"],
  ["controls at both ends", [0, 3], [0, 2], "top-center"],
  ["as many controls at both ends", [0, 2], [0, 2], "bottom-center"],
] as const)("a note on a phone considers %s", (_, [needed, controls], [topNeeded, topControls], place) => {
  expect(positionCoveringLess({ needed, controls }, { needed: topNeeded, controls: topControls })).toBe(
    place,
  );
});
