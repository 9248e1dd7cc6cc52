import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Body, call, type Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";

/** A download without its ID, which changes with every save. */
export type Download = Omit<Item<"getDownloads">, "id">;

export const maxDownloads = 50;

/**
 * A product's downloads. A new list is shown immediately, and reverted if it is refused. Saves run in sequence; each
 * one first checks that no one else has changed the list, because the server replaces all of it.
 */
export function useDownloads(productId: string) {
  const { t } = useTranslation("products");
  const queries = useQueryClient();
  const input = { params: { product_id: productId } };
  const query = ask("getDownloads", input);
  const { data, error } = useQuery(query);
  const [shown, setShown] = useState<readonly Download[] | null>(null);
  const running = useRef(0);
  const change = useMutation({
    scope: { id: `downloads ${productId}` },
    mutationFn: async (list: readonly Download[]) => {
      const known = queries.getQueryData(query.queryKey)?.data ?? [];
      const latest = await call("getDownloads", input);
      if (!isSame(known, latest.data)) {
        queries.setQueryData(query.queryKey, latest);
        throw new Error(t("downloads.outdated"));
      }
      queries.setQueryData(query.queryKey, await call("replaceDownloads", { ...input, body: bodyOf(list) }));
    },
  });
  const save = async (list: readonly Download[]): Promise<void> => {
    running.current += 1;
    setShown(list);
    try {
      await change.mutateAsync(list);
    } finally {
      running.current -= 1;
      if (running.current === 0) setShown(null);
    }
  };
  return { downloads: shown ?? data?.data, error, save };
}

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
export function isSame(one: readonly Download[], other: readonly Download[]): boolean {
  return JSON.stringify(bodyOf(one)) === JSON.stringify(bodyOf(other));
}

/** The list with one download moved up (-1) or down (1). At the end of the list, nothing moves. */
export function moved<T>(list: readonly T[], from: number, by: -1 | 1): readonly T[] {
  const to = from + by;
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return list;
  const rest = list.toSpliced(from, 1);
  return rest.toSpliced(to, 0, item);
}
