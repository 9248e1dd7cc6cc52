import { Group, Text } from "@mantine/core";
import classes from "./code-block.module.css";
import { CodeText } from "./code-text.tsx";
import { Copy } from "./copy.tsx";

/** A program to copy, under the name of its file. */
export function CodeBlock({ label, file, text }: { label: string; file: string; text: string }) {
  return (
    <figure className={classes.block}>
      <Group component="figcaption" className={classes.head ?? ""} justify="space-between" wrap="nowrap">
        <Text size="sm" c="dimmed" className="mono">
          {file}
        </Text>
        <Copy value={text} />
      </Group>
      <CodeText label={label}>{text}</CodeText>
    </figure>
  );
}
