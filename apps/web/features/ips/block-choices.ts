import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { askPages, flat } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import type { BlockChoice } from "../ip-blocks/scope.ts";

/** The scopes for blocking an IP address: the organization, or a customer or license that uses it. */
export function useBlockChoices(ip: string): readonly BlockChoice[] {
  const { t } = useTranslation("ips");
  const { id: organizationId } = useOrganization();
  const list = useInfiniteQuery(
    askPages("listIpLicenses", { params: { organization_id: organizationId, ip } }),
  );
  const customers = new Map<string, string>();
  const licenses: BlockChoice[] = [];
  for (const row of flat(list.data)) {
    if (row.global_customer_id !== null)
      customers.set(row.global_customer_id, row.customer_name ?? row.customer_email ?? t("onDiscord"));
    licenses.push({
      label: [row.license_key, row.customer_name ?? row.customer_email].filter(Boolean).join(" · "),
      scope: { level: "license", licenseId: row.license_id },
    });
  }
  return [
    { label: "", scope: { level: "organization", organizationId } },
    ...Array.from(
      customers,
      ([customerId, label]): BlockChoice => ({
        label,
        scope: { level: "customer", organizationId, customerId },
      }),
    ),
    ...licenses,
  ];
}
