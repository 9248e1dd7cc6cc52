import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { DeviceIds } from "../../app/device-ids.tsx";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { ListTime } from "../../ui/list-time.tsx";

type Row = Answer<"shadowProduct">["data"][number];

/** The licenses that would have been refused, most requests first. */
export function RefusedList({ rows }: { rows: readonly Row[] }) {
  const { t, i18n } = useTranslation("shadow");
  const { slug } = useOrganization();
  const sees = useMaySee();
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <DataTable
      label={t("list.label")}
      rows={rows}
      keyOf={(row) => row.license_id}
      isPending={false}
      error={null}
      empty={null}
      columns={[
        {
          id: "customer",
          header: t("list.customer"),
          cell: (row) => (
            <Stack gap={0}>
              <Text inherit>{row.customer_name ?? row.customer_email ?? t("list.noCustomer")}</Text>
              {row.license_key !== null && sees("licenses:view") ? (
                <GoLink to={paths.license(slug, row.license_id)} className="mono" size="xs">
                  {row.license_key}
                </GoLink>
              ) : (
                <Text size="xs" c="dimmed" className="mono">
                  {row.license_key ?? row.license_id}
                </Text>
              )}
            </Stack>
          ),
        },
        {
          id: "requests",
          header: t("list.requests"),
          align: "right",
          cell: (row) =>
            sees("requests:view") ? (
              <GoLink to={paths.requests(slug, { license_id: row.license_id })} className="figures">
                {number.format(row.requests)}
              </GoLink>
            ) : (
              <span className="figures">{number.format(row.requests)}</span>
            ),
        },
        {
          id: "status",
          header: t("list.status"),
          wide: true,
          cell: (row) => <span className="mono">{row.status}</span>,
        },
        {
          id: "from",
          header: t("list.last"),
          cell: (row) => (
            <Stack gap={0}>
              <ListTime at={row.last_at} />
              <Text size="xs" c="dimmed" className="mono">
                {[row.ip, row.version].filter((text) => text !== null && text !== "").join(" · ")}
              </Text>
              <Text component="div" size="xs">
                <DeviceIds ids={row.device_ids} licenseId={row.license_id} />
              </Text>
              {row.ip_count > 1 && (
                <Text size="xs" c="dimmed">
                  {t("list.ips", { count: row.ip_count })}
                </Text>
              )}
            </Stack>
          ),
        },
      ]}
    />
  );
}
