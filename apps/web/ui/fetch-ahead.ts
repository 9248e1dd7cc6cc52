let underWay = 0;

/** Fetches what may be wanted soon. That it cannot be had matters only to whoever then wants it. */
export async function fetchAhead(load: () => Promise<unknown>): Promise<void> {
  underWay += 1;
  try {
    await load();
  } catch {
    // It is fetched again, and what is wrong is told, when it is wanted.
  } finally {
    underWay -= 1;
  }
}

export function isFetchingAhead(): boolean {
  return underWay > 0;
}
