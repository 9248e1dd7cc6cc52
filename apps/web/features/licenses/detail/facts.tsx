import { Badge, Group, Text } from "@mantine/core";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { LicenseEmail } from "../../../app/license-email.tsx";
import { useMay, useOrganization } from "../../../session/current-organization.ts";
import { paths } from "../../../session/paths.ts";
import { Copy } from "../../../ui/copy.tsx";
import { GoLink } from "../../../ui/links.tsx";
import { Section } from "../../../ui/section.tsx";
import { exactTime, Time } from "../../../ui/time.tsx";
import type { License } from "./license.ts";
import { spanText } from "./license.ts";
import classes from "./license-page.module.css";

const tagStyles = { root: { overflow: "hidden", maxWidth: "100%" }, label: { overflow: "hidden" } };

/** The customer, product, expiry, IP limit and versions of a license. */
export function Facts({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const { slug } = useOrganization();
  const may = useMay();
  const none = <span className={classes.none}>–</span>;
  return (
    <Section title={t("details")}>
      <dl className={classes.facts}>
        <Fact name={t("fields.customer")}>
          <Customer license={license} />
        </Fact>
        <Fact name={t("fields.product_id")}>
          {may("products:view", "products:manage") ? (
            <GoLink to={paths.product(slug, license.product_id)}>{license.product_name}</GoLink>
          ) : (
            license.product_name
          )}
        </Fact>
        <Fact name={t("fields.expires_at")}>
          <Expiry license={license} />
        </Fact>
        <Fact name={t("fields.license_email")}>
          <LicenseEmail license={license} />
        </Fact>
        <Fact name={t("fields.first_used_at")}>
          {license.first_used_at === null ? t("neverUsed") : <Time at={license.first_used_at} />}
        </Fact>
        <Fact name={t("fields.max_ips")}>
          <Slots license={license} />
        </Fact>
        <Fact name={t("fields.version")}>{versionWords(license, t)}</Fact>
        <Fact name={t("fields.tags")}>
          {license.tags.length === 0 ? (
            none
          ) : (
            <Group gap={4}>
              {license.tags.map((tag) => (
                <GoLink
                  key={tag}
                  to={paths.licenses(slug, { tag })}
                  underline="never"
                  maw="100%"
                  display="block"
                >
                  <Badge size="md" variant="default" fw={500} styles={tagStyles} title={tag}>
                    {tag}
                  </Badge>
                </GoLink>
              ))}
            </Group>
          )}
        </Fact>
        <Fact name={t("fields.created_at")}>
          <Time at={license.created_at} />
        </Fact>
        <Fact name={t("fields.updated_at")}>
          <Time at={license.updated_at} />
        </Fact>
        <Fact name={t("fields.id")}>
          <Group gap={4} wrap="nowrap">
            <Text component="span" className="mono" truncate size="xs" title={license.id}>
              {license.id}
            </Text>
            <Copy value={license.id} />
          </Group>
        </Fact>
      </dl>
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Customer({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const { slug } = useOrganization();
  const may = useMay();
  const { customer_email: email, customer_name: name, customer_discord_id: discordId } = license;
  const shownName = name ?? email ?? (discordId === null ? null : t("discordId", { id: discordId }));
  if (shownName === null) return <span className={classes.none}>{t("noCustomer")}</span>;
  return (
    <>
      {license.global_customer_id !== null && may("customers:view", "customers:manage") ? (
        <GoLink to={paths.customer(slug, license.global_customer_id)}>{shownName}</GoLink>
      ) : (
        shownName
      )}
      {name !== null && email !== null && <Text c="dimmed">{email}</Text>}
      {discordId !== null && shownName !== null && (name ?? email) !== null && (
        <Text c="dimmed">{t("discordId", { id: discordId })}</Text>
      )}
    </>
  );
}

function Expiry({ license }: { license: License }) {
  const { t, i18n } = useTranslation("licenses");
  const { expires_at: at, term_seconds: term } = license;
  if (at !== null)
    return (
      <>
        {license.status !== "revoked" && <Time at={at} />}
        <Text c="dimmed">{exactTime(at, i18n.language)}</Text>
      </>
    );
  if (term !== null) return t("termAfterFirstUse", { term: spanText(term, i18n.language) });
  return t("never");
}

/** n of m, also as a bar. */
function Slots({ license }: { license: License }) {
  const { t } = useTranslation("licenses");
  const { current_unique_ip_count: taken, max_ips: limit } = license;
  if (!license.ip_system_enabled || limit === null) return t("anyIp");
  return (
    <>
      <span className="figures">{t("slots", { taken, count: limit })}</span>
      <div className={classes.slots} data-full={taken >= limit || undefined} aria-hidden="true">
        <span style={{ width: `${Math.min(100, (100 * taken) / limit)}%` }} />
      </div>
    </>
  );
}

function versionWords(license: License, t: TFunction): string {
  const { version_pin_mode: mode, version_range_min: min, version_range_max: max } = license;
  if (mode === null) return t("versions.any");
  if (mode === "pinned") return t("versions.pinned", { version: license.version_pinned });
  return t(`versions.${min === null ? "below" : max === null ? "from" : "between"}`, { min, max });
}
