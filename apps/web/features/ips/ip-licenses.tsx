import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { askPages } from "../../api/queries.ts";
import { DeviceIds } from "../../app/device-ids.tsx";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useProducts } from "../../session/products.ts";
import type { Column } from "../../ui/data-table.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { LicenseList } from "../licenses/license-list.tsx";

type IpLicense = Item<"listIpLicenses">;

/** The licenses that have registered an IP address or were used from it. */
export function IpLicenses({ ip }: { ip: string }) {
  const { t } = useTranslation("ips");
  const may = useMay();
  const { id: organizationId, slug } = useOrganization();
  const list = useInfiniteQuery(
    askPages("listIpLicenses", { params: { organization_id: organizationId, ip } }),
  );
  const products = useProducts();
  const nameOf = (productId: string) => products.data?.find(({ id }) => id === productId)?.name;
  const columns: Column<IpLicense>[] = [
    {
      id: "customer",
      header: t("customer"),
      wide: true,
      cell: (row) => {
        const words = row.customer_name ?? row.customer_email ?? (row.global_customer_id && t("onDiscord"));
        if (words === null) return <None />;
        return row.global_customer_id !== null && may("customers:view", "customers:manage") ? (
          <GoLink to={paths.customer(slug, row.global_customer_id)} inherit>
            {words}
          </GoLink>
        ) : (
          words
        );
      },
    },
    {
      id: "registered",
      header: t("registered"),
      wide: true,
      cell: (row) =>
        row.registered_at === null ? (
          <Text inherit component="span" c="dimmed">
            {t("notRegistered")}
          </Text>
        ) : (
          <ListTime at={row.registered_at} />
        ),
    },
    {
      id: "devices",
      header: t("devices"),
      wide: true,
      cell: (row) =>
        (row.device_ids ?? []).length === 0 ? (
          <None />
        ) : (
          <DeviceIds ids={row.device_ids} licenseId={row.license_id} />
        ),
    },
    {
      id: "hits",
      header: t("requests"),
      wide: true,
      align: "right",
      cell: (row) => <span className="figures">{row.hits.toLocaleString()}</span>,
    },
    {
      id: "last",
      header: t("lastSeen"),
      cell: (row) => (row.last_seen_at === null ? <None /> : <ListTime at={row.last_seen_at} />),
    },
  ];
  return (
    <LicenseList
      title={t("licensesUsed")}
      list={list}
      idOf={(row) => row.license_id}
      productOf={(row) => nameOf(row.product_id) ?? <None />}
      columns={columns}
      empty={t("noLicenses")}
    />
  );
}

function None() {
  return (
    <Text inherit component="span" c="dimmed">
      –
    </Text>
  );
}
