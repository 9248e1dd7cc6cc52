import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { askPages, flat } from "../../api/queries.ts";
import { DeviceIds } from "../../app/device-ids.tsx";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Page } from "../../ui/page.tsx";
import { IpTabs } from "../ip-blocks/ip-tabs.tsx";
import { IpList } from "./ip-list.tsx";

const ipsRoute = getRouteApi("/signed-in/o/$organization/ips");

/** The IP addresses that use licenses, those with the most licenses first. */
export function IpsPage() {
  const { t } = useTranslation("ips");
  const { id: organizationId, slug } = useOrganization();
  const search = ipsRoute.useSearch();
  const navigate = ipsRoute.useNavigate();
  const list = useInfiniteQuery(
    askPages("listIps", {
      params: { organization_id: organizationId },
      query: { cidr: search.in, min_licenses: search.min },
    }),
  );
  return (
    <Page wide title={t("title")} lead={t("lead")}>
      <IpTabs here="ips" />
      <IpList
        pageOf={(ip) => paths.ip(slug, ip)}
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: next.min !== search.min })}
        devices={DeviceIds}
        list={list}
        rows={flat(list.data)}
      />
    </Page>
  );
}
