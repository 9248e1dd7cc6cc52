import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../../api/queries.ts";
import { useOrganization } from "../../../session/current-organization.ts";
import { paths } from "../../../session/paths.ts";
import { GoLink } from "../../../ui/go-link.tsx";
import { Notice } from "../../../ui/notice.tsx";
import type { License } from "./license.ts";

/** The customer has asked to give the license to someone else, and no one has decided yet. */
export function PendingTransfer({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const { id, slug } = useOrganization();
  const { data } = useQuery(
    ask("listTransfers", {
      params: { organization_id: id },
      query: { license_id: license.id, state: "pending", limit: 1 },
    }),
  );
  const [transfer] = data?.data ?? [];
  if (transfer === undefined) return null;
  const { customer_name, customer_email, customer_discord_id } = transfer.to;
  const name = customer_name ?? customer_email ?? t("discordId", { id: customer_discord_id });
  return (
    <Notice tone="info" title={t("pendingTransfer.title", { name })}>
      <GoLink to={paths.transfer(slug, transfer.id)}>{t("pendingTransfer.go")}</GoLink>
    </Notice>
  );
}
