import { placeholderNames } from "@countersign/domain/custom-response/template";
import { Button, Group, Text, Tooltip } from "@mantine/core";
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { placeholderInsertion } from "./insert-placeholder.ts";

/** All placeholders. A click inserts one at the cursor. */
export function Placeholders({ field }: { field: RefObject<HTMLTextAreaElement | null> }) {
  const { t } = useTranslation("products");
  const insert = (name: string) => {
    const area = field.current;
    if (area === null) return;
    const { from, to, text } = placeholderInsertion(area.value, area.selectionStart, area.selectionEnd, name);
    area.focus();
    area.setSelectionRange(from, to);
    // Deprecated, but the only way to insert text that the browser can undo.
    document.execCommand("insertText", false, text);
  };
  return (
    <div>
      <Text fw={600}>{t("custom.placeholders")}</Text>
      <Text size="sm" c="dimmed" mb="xs">
        {t("custom.placeholdersWords")}
      </Text>
      <Group gap={6}>
        {placeholderNames.map((name) => (
          <Tooltip key={name} label={t(`custom.placeholder.${name.replace(".", "_")}`)}>
            <Button
              size="compact-sm"
              variant="default"
              className="mono"
              fw={400}
              onClick={() => insert(name)}
            >
              {name}
            </Button>
          </Tooltip>
        ))}
      </Group>
    </div>
  );
}
