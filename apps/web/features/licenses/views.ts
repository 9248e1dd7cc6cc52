import { useState } from "react";
import { type LicenseSearch, readSearch, withoutGaps } from "./search.ts";

interface View {
  readonly name: string;
  readonly search: LicenseSearch;
}

/** Predefined views. Keys are translation keys. */
export const readyViews = [
  { key: "all", search: {} },
  { key: "expiring", search: { expires_within_days: 30, sort: "expires_at", order: "asc" } },
  { key: "neverUsed", search: { never_used: true } },
  { key: "expired", search: { status: "expired" } },
  { key: "revoked", search: { status: "revoked" } },
] as const satisfies readonly { key: string; search: LicenseSearch }[];

/** Views saved in this browser, for one organization. */
export function useSavedViews(organizationId: string) {
  const place = `countersign.license-views.${organizationId}`;
  const [views, setViews] = useState(() => read(place));
  const keep = (next: readonly View[]) => {
    setViews(next);
    localStorage.setItem(place, JSON.stringify(next));
  };
  return {
    views,
    /** Replaces a view with the same name. */
    save: (view: View) =>
      keep([
        ...views.filter(({ name }) => name !== view.name),
        { name: view.name, search: withoutGaps(view.search) },
      ]),
    /** Keeps its position; another view with the new name is replaced. */
    rename: (from: string, to: string) =>
      keep(
        views
          .filter(({ name }) => name === from || name !== to)
          .map((view) => (view.name === from ? { ...view, name: to } : view)),
      ),
    remove: (name: string) => keep(views.filter((view) => view.name !== name)),
    restore: keep,
  };
}

function read(place: string): readonly View[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? "[]");
    if (!Array.isArray(kept)) return [];
    return kept.flatMap((view) =>
      typeof view?.name === "string" && typeof view.search === "object" && view.search !== null
        ? [{ name: view.name, search: withoutGaps(readSearch(view.search)) }]
        : [],
    );
  } catch {
    return [];
  }
}
