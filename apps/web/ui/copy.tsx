import { ActionIcon, Button, Group, Text, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { copyText } from "./copy-text.ts";
import { Icon } from "./icon.tsx";

interface CopyProps {
  readonly value: string;
  readonly label?: string;
  /** The label of a button with text. */
  readonly size?: "sm" | "compact-sm";
  /** For screen readers, if the label alone is not clear. It starts with the label. */
  readonly name?: string;
}

/** Copies a text and confirms it for a moment, also to screen readers. */
export function Copy({ value, label, size = "sm", name }: CopyProps) {
  const { t } = useTranslation();
  const { copied, copy } = useCopy();
  const icon = <Icon name={copied ? "check" : "copy"} size={14} />;
  if (label !== undefined)
    return (
      <Button
        variant="default"
        size={size}
        onClick={() => copy(value)}
        leftSection={icon}
        {...(name === undefined || copied ? {} : { "aria-label": name })}
      >
        {copied ? t("copied") : label}
      </Button>
    );
  const copyLabel = copied ? t("copied") : t("copy");
  return (
    <Tooltip label={copyLabel}>
      <ActionIcon variant="subtle" color="gray" size="sm" onClick={() => copy(value)} aria-label={copyLabel}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

/** A key, a URL or an ID, in a monospaced font with a copy button. */
export function Copyable({ value }: { value: string }) {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex" maw="100%">
      <Text component="span" className="mono" truncate>
        {value}
      </Text>
      <Copy value={value} />
    </Group>
  );
}

const saidForMs = 1_500;

/** Copies a text, and reports success for a moment. */
export function useCopy(): { copied: boolean; copy: (text: string) => void } {
  const [copiedAt, setCopiedAt] = useState<number | null>(null);
  useEffect(() => {
    if (copiedAt === null) return;
    const timer = setTimeout(() => setCopiedAt(null), saidForMs);
    return () => clearTimeout(timer);
  }, [copiedAt]);
  const copy = async (text: string) => {
    if (await copyText(text)) setCopiedAt(performance.now());
  };
  return { copied: copiedAt !== null, copy: (text) => void copy(text) };
}
