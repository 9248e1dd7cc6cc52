import { Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "./code-block.module.css";
import { CodeText } from "./code-text.tsx";
import { Copy } from "./copy.tsx";

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
