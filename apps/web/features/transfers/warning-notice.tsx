import { Text } from "@mantine/core";
import { Trans, useTranslation } from "react-i18next";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/go-link.tsx";
import { Notice } from "../../ui/notice.tsx";
import type { PageLink } from "../../ui/page-link.ts";
import { Time } from "../../ui/time.tsx";
import type { Transfer, Warning } from "./transfer.ts";

/** Something to know before deciding, and what to do about it. */
export function WarningNotice({ warning, transfer }: { warning: Warning; transfer: Transfer }) {
  const { t } = useTranslation("transfers");
  const place = usePlace(warning, transfer);
  return (
    <Notice tone={warning.isRefused ? "bad" : "warn"} title={t(`warning.${warning.kind}.title`)}>
      <Text>
        {warning.kind === "transferred_recently" ? (
          <Trans
            t={t}
            i18nKey="warning.transferred_recently.words"
            components={{ when: <Time at={warning.at} /> }}
          />
        ) : (
          t(`warning.${warning.kind}.words`)
        )}
      </Text>
      {place !== null && <GoLink to={place}>{t(`warning.${warning.kind}.go`)}</GoLink>}
    </Notice>
  );
}

/** The page where the member can look into it; null if there is none. */
function usePlace({ kind }: Warning, transfer: Transfer): PageLink | null {
  const { slug } = useOrganization();
  const maySee = useMaySee();
  const customerId = transfer.to.global_customer_id;
  switch (kind) {
    case "product_inactive":
      return maySee("products:manage") ? paths.productDanger(slug, transfer.product_id) : null;
    case "license_revoked":
      return maySee("licenses:view") ? paths.license(slug, transfer.license_id) : null;
    case "target_blocked":
      return customerId !== null && maySee("customers:view", "customers:manage")
        ? paths.customer(slug, customerId)
        : null;
    case "transferred_recently":
      return null;
  }
}
