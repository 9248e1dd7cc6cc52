const kept = "countersign.organization";

/** Where somebody was last is where they begin. */
export function keepOrganization(slug: string): void {
  localStorage.setItem(kept, slug);
}

export function lastOrganization(): string | null {
  return localStorage.getItem(kept);
}
