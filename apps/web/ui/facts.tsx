import type { ReactNode } from "react";
import classes from "./facts.module.css";

/** A description list: names on the left, values on the right. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}
