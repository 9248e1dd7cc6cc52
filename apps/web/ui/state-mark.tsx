import { Tooltip } from "@mantine/core";
import classes from "./state-mark.module.css";

interface StateMarkProps {
  /** good: as it should be. wait: not at an end. warn: somebody should look. bad: it broke. off: by intention. */
  readonly tone: "good" | "wait" | "warn" | "bad" | "off";
  readonly children: string;
  /** What it means, on hover and focus. */
  readonly words?: string;
}

/** A state as a mark and a word; the mark differs by shape too, for those who do not tell the colours apart. */
export function StateMark({ tone, children, words }: StateMarkProps) {
  if (words === undefined)
    return (
      <span className={classes.state} data-tone={tone}>
        {children}
      </span>
    );
  return (
    <Tooltip label={words} multiline maw={300}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what it means is told on focus as well. */}
      <span className={classes.state} data-tone={tone} tabIndex={0}>
        {children}
      </span>
    </Tooltip>
  );
}
