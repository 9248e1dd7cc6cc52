/** Where the browser says that it is. */
export function browserTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

let organizationTimeZone: () => string | null = () => null;

/** Tells the parts that show times how to find the time zone of the organization whose pages are open. */
export function findTimeZoneBy(find: () => string | null): void {
  organizationTimeZone = find;
}

/** The zone that times are shown in: that of the organization whose pages are open, else that of the browser. */
export function shownTimeZone(): string {
  return organizationTimeZone() ?? browserTimeZone();
}
