import type { ReactNode } from "react";
import classes from "./code-text.module.css";

interface CodeTextProps {
  readonly label: string;
  readonly children: ReactNode;
  /** Wraps long lines instead of scrolling. */
  readonly wrapped?: boolean;
  /** The content is outdated. */
  readonly isOld?: boolean;
}

/** Code or a response, verbatim. It can be scrolled with the keyboard. */
export function CodeText({ label, children, wrapped = false, isOld = false }: CodeTextProps) {
  return (
    <section
      className={classes.box}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be focusable.
      tabIndex={0}
      data-wrapped={wrapped || undefined}
      data-old={isOld || undefined}
    >
      <pre className={classes.text}>{children}</pre>
    </section>
  );
}
