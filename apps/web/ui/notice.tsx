import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import classes from "./notice.module.css";

interface NoticeProps {
  /** info: good to know. warn: needs attention. bad: something does not work. */
  readonly tone: "info" | "warn" | "bad";
  readonly title: string;
  readonly children?: ReactNode;
}

/** A notice about the page, in the normal text colour, so that it is readable in both themes. */
export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div className={classes.notice} data-tone={tone}>
      <span className={classes.icon}>
        <Icon name={tone === "info" ? "info" : "warning"} />
      </span>
      <div className={classes.words}>
        <Text fw={600}>{title}</Text>
        {children}
      </div>
    </div>
  );
}

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
      <span className={classes.verdictIcon}>
        <Icon name={isRefused ? "block" : "check"} size={20} />
      </span>
      <div>
        <Text fw={600}>{title}</Text>
        {children}
      </div>
    </div>
  );
}
