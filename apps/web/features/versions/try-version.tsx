import { VersionCatalog } from "@countersign/domain/versions/catalog";
import { parseVersion } from "@countersign/domain/versions/version";
import { Group, Text, TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Panel } from "../../ui/panel.tsx";
import type { ProductVersion } from "../products/frame/use-versions.ts";

/** Applies the server's rule in the browser. */
export function TryVersion({ versions }: { versions: readonly ProductVersion[] }) {
  const { t } = useTranslation("versions");
  const [text, setText] = useState("");
  const catalog = useMemo(() => VersionCatalog.from(versions), [versions]);
  const written = text.trim();
  const version = parseVersion(written);
  const verdict = version === null ? "unreadable" : catalog.stateOf(version);
  return (
    <Panel title={t("try.title")} lead={t("try.words")}>
      <Group gap="md">
        <TextInput
          aria-label={t("try.title")}
          placeholder="2.1.7"
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Text role="status" flex={1} miw="12rem">
          {written !== "" && t(`try.verdict.${verdict}`, { version: written })}
        </Text>
      </Group>
    </Panel>
  );
}
