import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Trans, useTranslation } from "react-i18next";
import { ask } from "../../../api/queries.ts";
import { shownTimeZone } from "../../../i18n/shown-time-zone.ts";
import { useOrganization } from "../../../session/current-organization.ts";
import { Verdict } from "../../../ui/notice.tsx";
import { Time } from "../../../ui/time.tsx";
import { type License, spanText, useProductOf } from "./license.ts";
import { isRejected, type Limit, limitsOf, type Status, statusOf } from "./status.ts";

/** Says whether the key works and why, and lists its limits. */
export function StatusBanner({ license }: { license: License }) {
  const product = useProductOf(license);
  const organization = useOrganization();
  const blocks = useQuery(ask("listLicenseIpBlocks", { params: { license_id: license.id } }));
  const active = blocks.data?.data.filter(
    ({ expires_at: end }) => end === null || new Date(end).getTime() > Date.now(),
  );
  const status = statusOf(license, product, organization.suspended_at !== null);
  const rejected = isRejected(status);
  const limits = rejected ? [] : limitsOf(license, product, active?.length ?? 0);
  return (
    <Verdict isRefused={rejected} title={<Sentence status={status} product={license.product_name} />}>
      {limits.map((limit) => (
        <Text key={limit.kind} size="sm" c="dimmed">
          <LimitWords limit={limit} product={license.product_name} />
        </Text>
      ))}
    </Verdict>
  );
}

function Sentence({ status, product }: { status: Status; product: string }) {
  const { t, i18n } = useTranslation("licenses");
  const key = `status.${status.kind}`;
  switch (status.kind) {
    case "works_for_a_term":
      return t(key, { term: spanText(status.seconds, i18n.language) });
    case "revoked":
      return (
        <Trans
          t={t}
          i18nKey={status.reason === null ? key : "status.revoked_because"}
          values={{ reason: status.reason }}
          components={{ when: <Time at={status.at} /> }}
        />
      );
    case "expired":
    case "expired_unenforced":
    case "works_until":
      return (
        <Trans
          t={t}
          i18nKey={key}
          values={{ product, date: dateOf(status.at, i18n.language) }}
          components={{ when: <Time at={status.at} /> }}
        />
      );
    default:
      return t(key, { product });
  }
}

function LimitWords({ limit, product }: { limit: Limit; product: string }) {
  const { t } = useTranslation("licenses");
  if (limit.kind !== "version_range") return t(`limits.${limit.kind}`, { ...limit, product });
  const { min, max } = limit;
  return t(`limits.range_${min === null ? "below" : max === null ? "from" : "between"}`, { min, max });
}

function dateOf(at: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: shownTimeZone() }).format(
    new Date(at),
  );
}
