import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { bodyOf, type Download, isSame } from "./downloads.ts";

/**
 * A product's downloads. A new list is shown immediately, and reverted if it is refused. Saves run in sequence; each
 * one first checks that no one else has changed the list, because the server replaces all of it.
 */
export function useDownloads(productId: string) {
  const { t } = useTranslation("products");
  const queries = useQueryClient();
  const input = { params: { product_id: productId } };
  const asked = ask("getDownloads", input);
  const { data, error } = useQuery(asked);
  const [shown, setShown] = useState<readonly Download[] | null>(null);
  const running = useRef(0);
  const change = useMutation({
    scope: { id: `downloads ${productId}` },
    mutationFn: async (list: readonly Download[]) => {
      const known = queries.getQueryData(asked.queryKey)?.data ?? [];
      const latest = await call("getDownloads", input);
      if (!isSame(known, latest.data)) {
        queries.setQueryData(asked.queryKey, latest);
        throw new Error(t("downloads.outdated"));
      }
      queries.setQueryData(asked.queryKey, await call("replaceDownloads", { ...input, body: bodyOf(list) }));
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
