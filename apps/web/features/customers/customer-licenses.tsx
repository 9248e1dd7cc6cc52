import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { askPages } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoButton } from "../../ui/links.tsx";
import { ListTime } from "../../ui/time.tsx";
import { LicenseList } from "../licenses/license-list.tsx";

/** The customer's licenses, newest first. */
export function CustomerLicenses({ customer }: { customer: Answer<"getCustomer"> }) {
  const { t } = useTranslation("customers");
  const may = useMay();
  const { id: organizationId, slug } = useOrganization();
  const list = useInfiniteQuery(
    askPages("listLicenses", {
      params: { organization_id: organizationId },
      query: { customer_id: customer.id },
    }),
  );
  const who =
    customer.email === null
      ? { customer_discord_id: customer.discord_id ?? undefined }
      : { customer_email: customer.email };
  return (
    <LicenseList
      title={t("licenses")}
      list={list}
      idOf={(license) => license.id}
      productOf={(license) => license.product_name}
      columns={[
        {
          header: t("table.expires"),
          cell: (license) =>
            license.expires_at !== null ? (
              <ListTime at={license.expires_at} />
            ) : (
              t(license.is_lifetime ? "table.never" : "table.afterFirstUse")
            ),
        },
        {
          header: t("table.ips"),
          wide: true,
          align: "right",
          cell: (license) => (
            <span className="figures">
              {license.ip_system_enabled
                ? `${license.current_unique_ip_count} / ${license.max_ips}`
                : t("table.anyIp")}
            </span>
          ),
        },
        { header: t("table.created"), wide: true, at: (license) => license.created_at },
      ]}
      empty={t("noLicenses")}
      actions={
        may("licenses:create") && (
          <GoButton size="xs" variant="default" to={paths.newLicense(slug, who)}>
            {t("newLicense")}
          </GoButton>
        )
      }
    />
  );
}
