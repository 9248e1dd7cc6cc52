import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import classes from "./verdict.module.css";

interface VerdictProps {
  readonly isRefused: boolean;
  /** The sentence that says it. */
  readonly title: ReactNode;
  /** What there is to say besides. */
  readonly children?: ReactNode;
}

/** Whether requests pass or are refused, and why. */
export function Verdict({ isRefused, title, children }: VerdictProps) {
  return (
    <div className={classes.verdict} data-refused={isRefused || undefined}>
      <span className={classes.icon}>
        <Icon name={isRefused ? "block" : "check"} size={20} />
      </span>
      <div>
        <Text fw={600}>{title}</Text>
        {children}
      </div>
    </div>
  );
}
