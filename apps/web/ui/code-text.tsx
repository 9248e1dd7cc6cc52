import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./code-text.module.css";
import { Copy } from "./copy.tsx";

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

/** Code to copy, with its file name. */
export function CodeBlock({ label, file, text }: { label: string; file: string; text: string }) {
  const { t } = useTranslation();
  return (
    <figure className={classes.block}>
      <Group component="figcaption" className={classes.head ?? ""} justify="space-between" wrap="nowrap">
        <Text size="sm" c="dimmed" className="mono">
          {file}
        </Text>
        <Copy value={text} label={t("copy")} />
      </Group>
      <CodeText label={label}>{text}</CodeText>
    </figure>
  );
}
