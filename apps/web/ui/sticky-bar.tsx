import type { ReactNode } from "react";
import classes from "./sticky-bar.module.css";

/** Keeps the save button of a long form visible while scrolling. */
export function StickyBar({ shown, children }: { shown: boolean; children: ReactNode }) {
  return shown ? <div className={classes.bar}>{children}</div> : null;
}
