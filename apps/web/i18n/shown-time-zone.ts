/** The browser's time zone. */
export function browserTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

let organizationTimeZone: () => string | null = () => null;

/** Sets how components find the time zone of the current organization. */
export function setTimeZoneFinder(find: () => string | null): void {
  organizationTimeZone = find;
}

/** The time zone for display: the current organization's, or else the browser's. */
export function shownTimeZone(): string {
  return organizationTimeZone() ?? browserTimeZone();
}
