import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { askPages } from "../../api/queries.ts";
import { PlainDeviceIds } from "../../app/device-ids.tsx";
import { paths } from "../../session/paths.ts";
import { Page } from "../../ui/page.tsx";
import { IpList } from "../ips/ips-page.tsx";

const platformIpsRoute = getRouteApi("/inside/admin/admin-layout/ips");

/** The IP addresses that use licenses of any organization. */
export function PlatformIpsPage() {
  const { t } = useTranslation("admin");
  const search = platformIpsRoute.useSearch();
  const navigate = platformIpsRoute.useNavigate();
  const list = useInfiniteQuery(
    askPages("listPlatformIps", { query: { cidr: search.in, min_licenses: search.min } }),
  );
  return (
    <Page wide title={t("ips.title")} lead={t("ips.lead")}>
      <IpList
        pageOf={paths.platformIp}
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: next.min !== search.min })}
        devices={PlainDeviceIds}
        list={list}
      />
    </Page>
  );
}
