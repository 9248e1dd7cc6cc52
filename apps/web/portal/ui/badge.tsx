import classes from "./badge.module.css";
import type { Tone } from "./notice.tsx";

/** A state in a word or two. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span className={classes.badge} data-tone={tone}>
      {children}
    </span>
  );
}
