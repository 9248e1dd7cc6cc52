import type { RequestOutcome } from "@countersign/domain/validate/status";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { GoLink, type PageLink } from "../../ui/links.tsx";
import { Time } from "../../ui/time.tsx";
import classes from "./overview.module.css";

type Item = Answer<"getAttention">["data"][number];

/** Problems that need attention, most urgent first; null if there are none. */
export function Attention() {
  const { t } = useTranslation("overview");
  const { id } = useOrganization();
  const { data } = useQuery({
    ...ask("getAttention", { params: { organization_id: id } }),
    refetchInterval: 60_000,
  });
  const items = data?.data ?? [];
  if (items.length === 0) return null;
  return (
    <section className={classes.attention} aria-labelledby="attention">
      <h2 id="attention" className={classes.attentionTitle}>
        <Icon name="warning" size={17} />
        {t("attention.title")}
      </h2>
      <ul className={classes.attentionList}>
        {items.map((item) => (
          <AttentionLine key={keyOf(item)} item={item} />
        ))}
      </ul>
    </section>
  );
}

function keyOf(item: Item): string {
  switch (item.kind) {
    case "quota":
    case "unused_api_keys":
      return `${item.kind} ${item.product_id}`;
    case "webhook":
      return item.webhook_id;
    default:
      return item.kind;
  }
}

function AttentionLine({ item }: { item: Item }) {
  const { icon, to, what, more } = useWords(item);
  return (
    <li className={classes.attentionLine}>
      <span className={classes.attentionIcon}>
        <Icon name={icon} size={16} />
      </span>
      <div className={classes.attentionWords}>
        {to === null ? (
          <b>{what}</b>
        ) : (
          <GoLink to={to} inherit fw={600} c="inherit" underline="always">
            {what}
          </GoLink>
        )}
        {more !== null && <div className={classes.attentionMore}>{more}</div>}
      </div>
    </li>
  );
}

interface Words {
  readonly icon: IconName;
  /** Null if the user cannot open the page. */
  readonly to: PageLink | null;
  readonly what: string;
  readonly more: ReactNode;
}

function useWords(item: Item): Words {
  const { t, i18n } = useTranslation("overview");
  const { t: requests } = useTranslation("requests");
  const { slug } = useOrganization();
  const may = useMay();
  const number = new Intl.NumberFormat(i18n.language);
  const percent = new Intl.NumberFormat(i18n.language, { style: "percent", maximumFractionDigits: 0 });
  switch (item.kind) {
    case "refusals": {
      const { from, to, outcome, usual_share: usual } = item;
      const filter = { endpoint: "validate", refused: true, from, to } as const;
      const reason = { ...filter, refused: undefined, outcome: [outcome as RequestOutcome] };
      const outcomeName = requests(`outcomes.${outcome}`);
      return {
        icon: "block",
        to: may("requests:view") ? paths.requests(slug, filter) : null,
        what: t("attention.refusals", {
          share: percent.format(item.refused / item.validations),
          count: item.refused,
          number: number.format(item.refused),
        }),
        more: (
          <>
            {usual !== null && `${t("attention.usually", { share: percent.format(usual) })} `}
            {t("attention.mostly", { number: number.format(item.outcome_count) })}{" "}
            {may("requests:view") ? (
              <GoLink to={paths.requests(slug, reason)} inherit underline="always">
                {outcomeName}
              </GoLink>
            ) : (
              outcomeName
            )}
            .
          </>
        ),
      };
    }
    case "quota":
      return {
        icon: "usage",
        to: may("products:view", "products:manage", "analytics:view") ? paths.usage(slug) : null,
        what: t(item.used_today >= item.daily_limit ? "attention.quotaUsedUp" : "attention.quotaNearly", {
          name: item.product_name,
        }),
        more: t("attention.quotaOf", {
          used: number.format(item.used_today),
          limit: number.format(item.daily_limit),
        }),
      };
    case "webhook":
      return {
        icon: "webhook",
        to: paths.webhook(slug, item.webhook_id),
        what: t(`attention.webhook.${item.state}`),
        more: (
          <>
            {item.description === "" ? item.url : item.description} · <Time at={item.since} /> ·{" "}
            {t(`attention.webhook.${item.state}.more`)}
          </>
        ),
      };
    case "sharing":
      return {
        icon: "members",
        to: paths.analytics(slug, { range: "7d" }),
        what: t("attention.sharing", { count: item.licenses, number: number.format(item.licenses) }),
        more: t("attention.sharingMore"),
      };
    case "transfers":
      return {
        icon: "transfer",
        to: paths.transfers(slug),
        what: t("attention.transfers", {
          count: item.waiting,
          number:
            item.waiting === maxWaiting ? `${number.format(maxWaiting - 1)}+` : number.format(item.waiting),
        }),
        more: null,
      };
    case "unused_api_keys":
      return {
        icon: "license",
        to: paths.productKeys(slug, item.product_id),
        what: t("attention.unusedKeys", {
          count: item.api_keys,
          number: number.format(item.api_keys),
          name: item.product_name,
        }),
        more: null,
      };
  }
}

/** The server counts to 100. */
const maxWaiting = 100;
