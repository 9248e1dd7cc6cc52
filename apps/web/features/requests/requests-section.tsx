import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { Section } from "../../ui/section.tsx";
import { type Known, useRequestColumns } from "./request-columns.tsx";

const shown = 8;

/** The latest requests with a license. */
export function LicenseRequests({ licenseId }: { licenseId: string }) {
  const { t } = useTranslation("requests");
  return (
    <RequestsSection known="license" filter={{ license_id: licenseId }} empty={t("section.noneOfLicense")} />
  );
}

/** The latest requests from an IP address. */
export function IpRequests({ ip }: { ip: string }) {
  const { t } = useTranslation("requests");
  return <RequestsSection known="ip" filter={{ ip }} empty={t("section.noneOfIp")} />;
}

interface RequestsSectionProps {
  readonly known: Known;
  readonly filter: { readonly license_id: string } | { readonly ip: string };
  readonly empty: string;
}

function RequestsSection({ known, filter, empty }: RequestsSectionProps) {
  const { t } = useTranslation("requests");
  const { id, slug } = useOrganization();
  const columns = useRequestColumns(known);
  const list = useQuery(
    ask("listRequests", { params: { organization_id: id }, query: { ...filter, limit: shown } }),
  );
  const rows = list.data?.data ?? [];
  return (
    <Section
      title={t("section.title")}
      bare
      id="requests"
      actions={
        rows.length > 0 && (
          <GoLink to={paths.requests(slug, filter)} size="sm">
            {t("section.all")}
          </GoLink>
        )
      }
    >
      <DataTable
        label={t("section.title")}
        columns={columns}
        rows={rows}
        keyOf={(request) => request.id}
        isPending={list.isPending}
        error={list.error}
        empty={
          <Text c="dimmed" size="sm">
            {empty}
          </Text>
        }
      />
    </Section>
  );
}
