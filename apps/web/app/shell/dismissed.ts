const kept = "countersign.dismissed";

interface Announced {
  readonly id: string;
  readonly message: string;
}

/** The announcements that were not dismissed in this browser. One that has changed since is shown again. */
export function undismissed<A extends Announced>(announcements: readonly A[], dismissed: Dismissed): A[] {
  return announcements.filter(({ id, message }) => dismissed[id] !== message);
}

/** The messages of dismissed announcements, by ID. Those that are no longer listed are removed. */
type Dismissed = Readonly<Record<string, string>>;

export function withDismissed(before: Dismissed, { id, message }: Announced, listed: readonly Announced[]) {
  const still = listed.filter((one) => one.id in before).map((one) => [one.id, before[one.id] ?? ""]);
  return { ...Object.fromEntries(still), [id]: message } as Dismissed;
}

export function readDismissed(): Dismissed {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(kept) ?? "{}");
    return typeof stored === "object" && stored !== null ? (stored as Dismissed) : {};
  } catch {
    return {};
  }
}

export function saveDismissed(dismissed: Dismissed): void {
  localStorage.setItem(kept, JSON.stringify(dismissed));
}
