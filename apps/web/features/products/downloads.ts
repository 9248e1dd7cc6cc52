import type { Body, Item } from "../../api/client.ts";

/** A download without its ID, which changes with every save. */
export type Download = Omit<Item<"getDownloads">, "id">;

export const maxDownloads = 50;

/** The text of a download's form. */
export interface DownloadDraft {
  readonly title: string;
  readonly url: string;
  readonly min_version: string;
  readonly checksum: string;
}

export function draftOf(download: Download | null): DownloadDraft {
  return {
    title: download?.title ?? "",
    url: download?.url ?? "",
    min_version: download?.min_version ?? "",
    checksum: download?.checksum ?? "",
  };
}

export function downloadOf(draft: DownloadDraft): Download {
  const orNull = (text: string) => (text.trim() === "" ? null : text.trim());
  return {
    title: draft.title.trim(),
    url: draft.url.trim(),
    min_version: orNull(draft.min_version),
    checksum: orNull(draft.checksum),
  };
}

export function bodyOf(downloads: readonly Download[]): Body<"replaceDownloads"> {
  return {
    data: downloads.map(({ title, url, min_version, checksum }) => ({ title, url, min_version, checksum })),
  };
}

/** Whether both lists show customers the same. */
export function isSame(some: readonly Download[], others: readonly Download[]): boolean {
  return JSON.stringify(bodyOf(some)) === JSON.stringify(bodyOf(others));
}

/** The list with one download moved up (-1) or down (1). At the end of the list, nothing moves. */
export function moved<T>(list: readonly T[], from: number, by: -1 | 1): readonly T[] {
  const to = from + by;
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return list;
  const rest = list.toSpliced(from, 1);
  return rest.toSpliced(to, 0, item);
}
