import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../../session/current-organization.ts";
import { Section } from "../../../ui/section.tsx";
import { BlockList } from "../../ip-blocks/block-list.tsx";
import { LazyBlockDialog } from "../../ip-blocks/lazy-block-dialog.tsx";
import type { License } from "./license.ts";

/** IP addresses blocked for this license. */
export function Blocks({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const scope = { level: "license", licenseId: license.id } as const;
  return (
    <Section
      title={t("blocks.title")}
      bare
      id="blocks"
      actions={
        may("ip_blocks:manage") && (
          <Button size="xs" variant="default" onClick={() => setOpen(true)}>
            {t("blocks.add")}
          </Button>
        )
      }
    >
      <BlockList
        scope={scope}
        empty={
          <Text c="dimmed" size="sm">
            {t("blocks.none")}
          </Text>
        }
      />
      <LazyBlockDialog scope={scope} opened={isOpen} onClose={() => setOpen(false)} />
    </Section>
  );
}
