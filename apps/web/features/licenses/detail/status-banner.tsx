import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Trans, useTranslation } from "react-i18next";
import { ask } from "../../../api/queries.ts";
import { shownTimeZone } from "../../../i18n/shown-time-zone.ts";
import { useOrganization } from "../../../session/current-organization.ts";
import { Verdict } from "../../../ui/notice.tsx";
import { Time } from "../../../ui/time.tsx";
import { type License, type Product, spanText, useProductOf } from "./license.ts";

/** Whether requests with this key are accepted, and why; in the order in which a validation checks it. */
type Status =
  | { readonly kind: "organization_suspended" | "product_archived" | "product_disabled" }
  | { readonly kind: "revoked"; readonly at: string; readonly reason: string | null }
  | { readonly kind: "expired"; readonly at: string }
  | { readonly kind: "no_ip" }
  | { readonly kind: "expired_unenforced" | "works_until"; readonly at: string }
  | { readonly kind: "works_for_a_term"; readonly seconds: number }
  | { readonly kind: "works_forever" };

/** Limits of a license that works. */
type Limit =
  | { readonly kind: "blocked"; readonly count: number }
  | { readonly kind: "limit_reached"; readonly count: number }
  | { readonly kind: "only_registered" | "ips_unlimited" }
  | { readonly kind: "version_pinned"; readonly version: string }
  | { readonly kind: "version_range"; readonly min: string | null; readonly max: string | null };

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

/** Without permission to see the product, its default settings are assumed. */
function statusOf(license: License, product: Product | null, isSuspended: boolean): Status {
  if (isSuspended) return { kind: "organization_suspended" };
  if (product?.status === "archived") return { kind: "product_archived" };
  if (product?.status === "disabled") return { kind: "product_disabled" };
  const { revoked_at: revokedAt, expires_at: expiresAt, term_seconds: seconds } = license;
  if (revokedAt !== null) return { kind: "revoked", at: revokedAt, reason: license.revoked_reason };
  const isOver = license.status === "expired" && expiresAt !== null;
  if (isOver && product?.expiry_enforcement !== false) return { kind: "expired", at: expiresAt };
  if (license.current_unique_ip_count === 0 && isChecked(license, product) && isManual(product))
    return { kind: "no_ip" };
  if (isOver) return { kind: "expired_unenforced", at: expiresAt };
  if (expiresAt !== null) return { kind: "works_until", at: expiresAt };
  if (seconds !== null) return { kind: "works_for_a_term", seconds };
  return { kind: "works_forever" };
}

function isRejected({ kind }: Status): boolean {
  switch (kind) {
    case "organization_suspended":
    case "product_archived":
    case "product_disabled":
    case "revoked":
    case "expired":
    case "no_ip":
      return true;
    case "expired_unenforced":
    case "works_until":
    case "works_for_a_term":
    case "works_forever":
      return false;
  }
}

function limitsOf(license: License, product: Product | null, blocks: number): Limit[] {
  const limits: Limit[] = [];
  const { max_ips: limit, current_unique_ip_count: taken } = license;
  if (blocks > 0) limits.push({ kind: "blocked", count: blocks });
  if (!isChecked(license, product)) limits.push({ kind: "ips_unlimited" });
  else if (limit !== null && taken >= limit) limits.push({ kind: "limit_reached", count: limit });
  else if (isManual(product) || (product?.auto_register_scope === "first_only" && taken > 0))
    limits.push({ kind: "only_registered" });
  if (product?.version_module_enabled !== true || product.version_enforcement !== "enforce") return limits;
  if (license.version_pin_mode === "pinned" && license.version_pinned !== null)
    limits.push({ kind: "version_pinned", version: license.version_pinned });
  if (license.version_pin_mode === "range")
    limits.push({
      kind: "version_range",
      min: license.version_range_min,
      max: license.version_range_max,
    });
  return limits;
}

function isChecked(license: License, product: Product | null): boolean {
  return license.ip_system_enabled && product?.track_ip_on_validate !== false;
}

function isManual(product: Product | null): boolean {
  return product?.auto_register_ip_on_validate === false;
}
