import classes from "./back.module.css";
import { GoLink } from "./go-link.tsx";
import { Icon } from "./icon.tsx";
import type { PageLink } from "./page-link.ts";

/** A link back to the list. */
export function Back({ to, children }: { to: PageLink; children: string }) {
  return (
    <GoLink to={to} size="sm" c="dimmed" className={classes.back ?? ""}>
      <Icon name="left" size={14} />
      {children}
    </GoLink>
  );
}
