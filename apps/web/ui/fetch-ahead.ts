let underWay = 0;

/** Prefetches what may be needed soon. A failure is reported only when it is needed. */
export async function fetchAhead(load: () => Promise<unknown>): Promise<void> {
  underWay += 1;
  try {
    await load();
  } catch {
    // Loaded again, with error handling, when it is needed.
  } finally {
    underWay -= 1;
  }
}

export function isFetchingAhead(): boolean {
  return underWay > 0;
}
