import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMay, useOrganization } from "../../app/here.ts";
import { Empty } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { IpTabs } from "../ips/ip-tabs.tsx";
import { BlockDialog } from "./block-dialog.tsx";
import { BlockList } from "./block-list.tsx";
import { ipBlocksRoute } from "./routes.tsx";

/** What nobody who uses one of the organization's licenses may come from. */
export function IpBlocksPage() {
  const { t } = useTranslation("ip-blocks");
  const may = useMay();
  const { id: organizationId } = useOrganization();
  const { add } = ipBlocksRoute.useSearch();
  const navigate = useNavigate({ from: ipBlocksRoute.fullPath });
  const place = { level: "organization", organizationId } as const;
  const open = (cidr: string | undefined) => void navigate({ search: { add: cidr }, replace: true });
  const button = may("ip_blocks:manage") && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => open("")}>
      {t("form.add")}
    </Button>
  );
  return (
    <Page title={t("title")} lead={t("lead")} actions={button}>
      <IpTabs here="ip-blocks" />
      <BlockList
        place={place}
        empty={
          <Empty icon="block" title={t("empty.title")} action={button}>
            {t("empty.words")}
          </Empty>
        }
      />
      <BlockDialog
        place={place}
        opened={add !== undefined && may("ip_blocks:manage")}
        cidr={add ?? ""}
        onClose={() => open(undefined)}
      />
    </Page>
  );
}
