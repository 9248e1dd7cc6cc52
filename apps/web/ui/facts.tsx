import type { CSSProperties, ReactNode } from "react";
import classes from "./facts.module.css";

/** A description list: names on the left, values on the right. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

interface FactProps {
  readonly name: string;
  /** Of the value. */
  readonly className?: string;
  readonly style?: CSSProperties;
  readonly children: ReactNode;
}

/** A name and its value in a description list. */
export function Fact({ name, children, ...value }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd {...value}>{children}</dd>
    </>
  );
}
