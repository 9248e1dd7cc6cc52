import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { Copyable } from "../../ui/copy.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import classes from "./customer-profile.module.css";

export function CustomerProfile({ customer }: { customer: Answer<"getCustomer"> }) {
  const { t } = useTranslation("customers");
  const none = <span className={classes.none}>–</span>;
  return (
    <Section title={t("profile")}>
      <dl className={classes.facts}>
        <Fact name={t("form.email")}>
          {customer.email === null ? none : <Copyable value={customer.email} />}
        </Fact>
        <Fact name={t("form.name")}>{customer.name ?? none}</Fact>
        <Fact name={t("form.discord_id")}>
          {customer.discord_id === null ? none : <Copyable value={customer.discord_id} />}
        </Fact>
        <Fact name={t("licenses")}>
          <Shares {...customer.licenses} />
        </Fact>
        <Fact name={t("lastSeen")}>
          {customer.last_seen_at === null ? t("notSeen") : <Time at={customer.last_seen_at} />}
        </Fact>
        <Fact name={t("since")}>
          <Time at={customer.created_at} />
        </Fact>
      </dl>
    </Section>
  );
}

/** How many licenses are active, expired or revoked, as text and as a chart. */
function Shares({ active, expired, revoked }: { active: number; expired: number; revoked: number }) {
  const { t } = useTranslation("customers");
  const shares = { active, expired, revoked };
  const shown = (["active", "expired", "revoked"] as const).filter((status) => shares[status] > 0);
  if (shown.length === 0) return <span className={classes.none}>{t("noLicenses")}</span>;
  return (
    <>
      <span className={classes.shares} aria-hidden="true">
        {shown.map((status) => (
          <span key={status} data-status={status} style={{ flexGrow: shares[status] }} />
        ))}
      </span>
      {shown.map((status) => t(`shares.${status}`, { count: shares[status] })).join(", ")}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
