import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import classes from "./section-nav.module.css";

interface Section {
  readonly to: string;
  readonly label: string;
  /** For the first page, whose path is a prefix of the others. */
  readonly exact?: boolean;
  /** Other paths whose pages belong to it. */
  readonly also?: readonly string[];
}

/** Tabs for the pages of one area. Each has its own URL. */
export function SectionNav({ label, sections }: { label: string; sections: readonly Section[] }) {
  const { pathname } = useLocation();
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
          <li key={to}>
            <Link
              className={classes.link ?? ""}
              to={to as "/"}
              activeOptions={{ exact, includeSearch: false }}
              {...(also.some((path) => isBelow(pathname, path))
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

/** Whether a page is this one or below it. */
export function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(`${path}/`);
}
