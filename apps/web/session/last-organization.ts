const kept = "countersign.organization";

/** The last visited organization is opened first. */
export function saveLastOrganization(slug: string): void {
  localStorage.setItem(kept, slug);
}

export function lastOrganization(): string | null {
  return localStorage.getItem(kept);
}
