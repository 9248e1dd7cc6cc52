import type { ReactNode } from "react";
import classes from "./sticky-bar.module.css";

/** Keeps what saves a long form in sight, however far one has scrolled. */
export function StickyBar({ shown, children }: { shown: boolean; children: ReactNode }) {
  return shown ? <div className={classes.bar}>{children}</div> : null;
}
