import { useNavigate, useRouter } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import type { PageLink } from "../../ui/page-link.ts";

interface RowClicks {
  readonly onClick: (event: MouseEvent<HTMLElement>) => void;
  readonly onPointerEnter: () => void;
}

/** The key is the link, but a click anywhere in the row opens the license. */
export function useRowClicks(pageOf: (index: number) => PageLink | null): RowClicks {
  const navigate = useNavigate();
  const router = useRouter();
  return {
    onClick: (event) => {
      const target = event.target as HTMLElement;
      const row = target.closest<HTMLElement>("[data-license-row]");
      const page = row === null ? null : pageOf(Number(row.dataset.licenseRow));
      if (page === null) return;
      const isLink = target.closest("a") !== null;
      const isOther = target.closest("button, input, label, [data-check]") !== null;
      // Selecting text to copy it does not open the page.
      if (!isLink && (isOther || String(window.getSelection()) !== "")) return;
      if (event.ctrlKey || event.metaKey || event.shiftKey) {
        // The browser handles modified clicks on links.
        if (!isLink && !event.shiftKey) window.open(router.buildLocation(page).href, "_blank");
        return;
      }
      event.preventDefault();
      void navigate(page);
    },
    // Pointing at a row preloads its page.
    onPointerEnter: () => {
      const page = pageOf(0);
      if (page !== null) router.preloadRoute(page).catch(() => {});
    },
  };
}
