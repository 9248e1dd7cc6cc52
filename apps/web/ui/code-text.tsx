import type { ReactNode } from "react";
import classes from "./code-text.module.css";

interface CodeTextProps {
  readonly label: string;
  readonly children: ReactNode;
  /** Long lines go on below instead of being scrolled to. */
  readonly wrapped?: boolean;
  /** What is shown is no longer what holds. */
  readonly isOld?: boolean;
}

/** A program or an answer, as it is written. It is scrolled with the keyboard too. */
export function CodeText({ label, children, wrapped = false, isOld = false }: CodeTextProps) {
  return (
    <section
      className={classes.box}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached.
      tabIndex={0}
      data-wrapped={wrapped || undefined}
      data-old={isOld || undefined}
    >
      <pre className={classes.text}>{children}</pre>
    </section>
  );
}
