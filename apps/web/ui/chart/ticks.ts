/** Values for the lines of a scale: from 0 to at least `highest`, at equal and round distances. Counts have no fractions. */
export function ticksFor(highest: number, most = 5): readonly number[] {
  const step = roundStep(Math.max(1, highest) / (most - 1));
  const last = Math.ceil(Math.max(1, highest) / step);
  return Array.from({ length: last + 1 }, (_, line) => line * step);
}

/** The next of 1, 2, 5, 10, 20, 50, … */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const factor = [1, 2, 5, 10].find((one) => one * power >= least - 1e-9) ?? 10;
  return factor * power;
}

/** Which labels of an axis have room, at equal distances and counted from the last, which is the newest. */
export function shownLabels(count: number, width: number, labelWidth: number): readonly number[] {
  if (count === 0 || width <= 0) return [];
  const every = Math.max(1, Math.ceil((labelWidth * count) / width));
  const shown: number[] = [];
  for (let at = count - 1; at >= 0; at -= every) shown.push(at);
  return shown.reverse();
}
