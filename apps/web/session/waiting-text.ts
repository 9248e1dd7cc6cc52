export const mostCounted = 99;

/** The count as text: one page is read, so it ends at "99+". */
export function waitingText(count: number): string {
  return count > mostCounted ? `${mostCounted}+` : String(count);
}
