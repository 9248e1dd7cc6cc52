import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { BlockDialog } from "../ip-blocks/block-dialog.tsx";
import { BlockList } from "../ip-blocks/block-list.tsx";

const scope = { level: "platform" } as const;

export function PlatformBlocksPage() {
  const { t } = useTranslation(["admin", "ip-blocks"]);
  const [isOpen, setOpen] = useState(false);
  const button = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
      {t("ip-blocks:form.add")}
    </Button>
  );
  return (
    <Page wide title={t("blocks.title")} lead={t("blocks.lead")} actions={button}>
      <BlockList
        scope={scope}
        empty={
          <Empty icon="block" title={t("ip-blocks:empty.title")} action={button}>
            {t("blocks.empty")}
          </Empty>
        }
      />
      <BlockDialog scope={scope} opened={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}
