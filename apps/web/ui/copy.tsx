import { ActionIcon, Button, CopyButton, Group, Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon.tsx";

interface CopyProps {
  readonly value: string;
  readonly label?: string;
  /** Of a button with words on it. */
  readonly size?: "sm" | "compact-sm";
}

/** Copies a text; says so for a moment, also to those who listen. */
export function Copy({ value, label, size = "sm" }: CopyProps) {
  const { t } = useTranslation();
  return (
    <CopyButton value={value} timeout={1_500}>
      {({ copied, copy }) =>
        label === undefined ? (
          <Tooltip label={copied ? t("copied") : t("copy")}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              onClick={copy}
              aria-label={copied ? t("copied") : t("copy")}
            >
              <Icon name={copied ? "check" : "copy"} size={14} />
            </ActionIcon>
          </Tooltip>
        ) : (
          <Button
            variant="default"
            size={size}
            onClick={copy}
            leftSection={<Icon name={copied ? "check" : "copy"} size={14} />}
          >
            {copied ? t("copied") : label}
          </Button>
        )
      }
    </CopyButton>
  );
}

/** A key, an address or an id: in figures of one width, with a way to copy it. */
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
