/**
 * Repeats a step that returns how much it did, until it did nothing. Once a minute is not enough for a single step: a
 * busy server adds more rows in a minute than one step removes.
 */
export async function repeatUntilZero(
  step: () => Promise<number>,
  rest: () => Promise<void>,
  isClosing: () => boolean,
): Promise<void> {
  while (!isClosing() && (await step()) > 0) await rest();
}
