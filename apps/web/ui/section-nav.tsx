import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import classes from "./section-nav.module.css";

interface Section {
  readonly to: string;
  readonly label: string;
  /** For the first one, whose address the others begin with. */
  readonly exact?: boolean;
}

/** The pages of one area, side by side above them. Each has an address of its own. */
export function SectionNav({ label, sections }: { label: string; sections: readonly Section[] }) {
  const { pathname } = useLocation();
  const list = useRef<HTMLUListElement>(null);
  // On a phone not all of them fit: the one that is open has to be in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is why.
  useEffect(() => {
    const open = list.current?.querySelector('[data-status="active"]');
    open?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [pathname]);
  return (
    <nav className={classes.nav} aria-label={label}>
      <ul className={classes.list} ref={list}>
        {sections.map(({ to, label: words, exact = false }) => (
          <li key={to}>
            <Link
              className={classes.link ?? ""}
              to={to as "/"}
              activeOptions={{ exact, includeSearch: false }}
            >
              {words}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
