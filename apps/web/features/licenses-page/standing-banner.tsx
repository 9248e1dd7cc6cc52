import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Trans, useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../app/here.ts";
import { shownTimeZone } from "../../ui/shown-time-zone.ts";
import { Time } from "../../ui/time.tsx";
import { Verdict } from "../../ui/verdict.tsx";
import { spanWords } from "./days.ts";
import { type License, useProductOf } from "./license.ts";
import { isRefused, type Limit, limitsOf, type Standing, standingOf } from "./standing.ts";

/** A sentence that says whether the key works and why, and what narrows it. */
export function StandingBanner({ license }: { license: License }) {
  const product = useProductOf(license);
  const organization = useOrganization();
  const blocks = useQuery(ask("listLicenseIpBlocks", { params: { license_id: license.id } }));
  const held = blocks.data?.data.filter(
    ({ expires_at: end }) => end === null || new Date(end).getTime() > Date.now(),
  );
  const standing = standingOf(license, product, organization.suspended_at !== null);
  const isOut = isRefused(standing);
  const limits = isOut ? [] : limitsOf(license, product, held?.length ?? 0);
  return (
    <Verdict isRefused={isOut} title={<Sentence standing={standing} product={license.product_name} />}>
      {limits.map((limit) => (
        <Text key={limit.kind} size="sm" c="dimmed">
          <LimitWords limit={limit} product={license.product_name} />
        </Text>
      ))}
    </Verdict>
  );
}

function Sentence({ standing, product }: { standing: Standing; product: string }) {
  const { t, i18n } = useTranslation("licenses-page");
  const key = `standing.${standing.kind}`;
  switch (standing.kind) {
    case "works_for_a_term":
      return t(key, { term: spanWords(standing.seconds, i18n.language) });
    case "revoked":
      return (
        <Trans
          t={t}
          i18nKey={standing.reason === null ? key : "standing.revoked_because"}
          values={{ reason: standing.reason }}
          components={{ when: <Time at={standing.at} /> }}
        />
      );
    case "expired":
    case "expired_unenforced":
    case "works_until":
      return (
        <Trans
          t={t}
          i18nKey={key}
          values={{ product, date: dateOf(standing.at, i18n.language) }}
          components={{ when: <Time at={standing.at} /> }}
        />
      );
    default:
      return t(key, { product });
  }
}

function LimitWords({ limit, product }: { limit: Limit; product: string }) {
  const { t } = useTranslation("licenses-page");
  if (limit.kind !== "version_range") return t(`limits.${limit.kind}`, { ...limit, product });
  const { min, max } = limit;
  return t(`limits.range_${min === null ? "below" : max === null ? "from" : "between"}`, { min, max });
}

function dateOf(at: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: shownTimeZone() }).format(
    new Date(at),
  );
}
