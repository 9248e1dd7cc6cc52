import type { ReactNode } from "react";
import classes from "./facts.module.css";

/** Names on the left, what they are on the right: as `dt` and `dd`. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}
