import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { GoLink } from "../../ui/links.tsx";
import { List } from "../../ui/list.tsx";
import { Section } from "../../ui/section.tsx";
import { type Known, useRequestColumns } from "./request-columns.tsx";

const maxShown = 8;

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
    ask("listRequests", { params: { organization_id: id }, query: { ...filter, limit: maxShown } }),
  );
  return (
    <Section
      title={t("section.title")}
      bare
      id="requests"
      actions={
        (list.data?.data ?? []).length > 0 && (
          <GoLink to={paths.requests(slug, filter)} size="sm">
            {t("section.all")}
          </GoLink>
        )
      }
    >
      <List label={t("section.title")} list={list} columns={columns} empty={<Dimmed>{empty}</Dimmed>} />
    </Section>
  );
}
