import { Link, useLocation, useMatchRoute } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { PageLink } from "./links.tsx";
import classes from "./section-nav.module.css";

interface Section {
  readonly to: PageLink;
  readonly label: string;
  /** For the first page, whose path is a prefix of the others. */
  readonly exact?: boolean;
  /** Other pages that belong to it, with those below them. */
  readonly also?: readonly PageLink[];
}

/** Tabs for the pages of one area. Each has its own URL. */
export function SectionNav({ label, sections }: { label: string; sections: readonly Section[] }) {
  const { pathname } = useLocation();
  const isOpen = useMatchRoute();
  const list = useRef<HTMLUListElement>(null);
  // On a phone not all tabs fit: scroll to the current one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect depends on the path.
  useEffect(() => {
    const open = list.current?.querySelector('[data-status="active"]');
    open?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [pathname]);
  return (
    <nav className={classes.nav} aria-label={label}>
      <ul className={classes.list} ref={list}>
        {sections.map(({ to, label: words, exact = false, also = [] }) => (
          <li key={words}>
            <Link
              className={classes.link ?? ""}
              {...to}
              activeOptions={{ exact, includeSearch: false }}
              {...(also.some((page) => isOpen({ ...page, fuzzy: true }) !== false)
                ? { "data-status": "active", "aria-current": "true" as const }
                : {})}
            >
              {words}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
