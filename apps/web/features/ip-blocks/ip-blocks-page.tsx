import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { askPages, flat } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { Empty } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { BlockDialog } from "./block-dialog.tsx";
import { BlockList } from "./block-list.tsx";
import { IpTabs } from "./ip-tabs.tsx";
import { routesOf } from "./scope.ts";

const ipBlocksRoute = getRouteApi("/signed-in/o/$organization/ip-blocks");

/** IP addresses blocked for all licenses of the organization. */
export function IpBlocksPage() {
  const { t } = useTranslation("ip-blocks");
  const may = useMay();
  const { id: organizationId } = useOrganization();
  const { add } = ipBlocksRoute.useSearch();
  const navigate = ipBlocksRoute.useNavigate();
  const scope = { level: "organization", organizationId } as const;
  const routes = routesOf(scope);
  const list = useInfiniteQuery(askPages(routes.list, { params: routes.params }));
  const hasNone = list.isSuccess && flat(list.data).length === 0;
  const open = (cidr: string | undefined) => void navigate({ search: { add: cidr }, replace: true });
  const button = may("ip_blocks:manage") && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => open("")}>
      {t("form.add")}
    </Button>
  );
  return (
    // The empty state has the same button.
    <Page wide title={t("title")} lead={t("lead")} actions={!hasNone && button}>
      <IpTabs current="ip-blocks" />
      <BlockList
        scope={scope}
        empty={
          <Empty icon="block" title={t("empty.title")} action={button}>
            {t("empty.words")}
          </Empty>
        }
      />
      <BlockDialog
        scope={scope}
        opened={add !== undefined && may("ip_blocks:manage")}
        cidr={add ?? ""}
        onClose={() => open(undefined)}
      />
    </Page>
  );
}
