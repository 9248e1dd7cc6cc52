import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import classes from "./verdict.module.css";

interface VerdictProps {
  readonly isRefused: boolean;
  /** The main sentence. */
  readonly title: ReactNode;
  /** Further details. */
  readonly children?: ReactNode;
}

/** Whether requests are accepted or rejected, and why. */
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
