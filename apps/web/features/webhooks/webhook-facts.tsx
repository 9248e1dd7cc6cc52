import { Paper } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Webhook } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

/** For users who can view but not edit. */
export function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation("webhooks");
  const facts = [
    [t("form.url"), webhook.url],
    [t("form.description"), webhook.description],
    [t("form.format"), t(`formats.${webhook.format}.name`)],
    [
      t("form.events"),
      webhook.event_types === null
        ? t("form.allEvents")
        : webhook.event_types.map((type) => t(`types.${type}`)).join(", "),
    ],
    [
      t("form.products"),
      webhook.product_ids === null
        ? t("form.allProducts")
        : t("settings.products", { count: webhook.product_ids.length }),
    ],
    [t("form.headers"), webhook.header_names.join(", ")],
    [t("form.autoReenable"), webhook.auto_reenable ? t("everywhere:yes") : t("everywhere:no")],
  ] as const;
  return (
    <Paper withBorder p="lg" radius="lg">
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name} className={classes.fact}>
            <dt>{name}</dt>
            <dd>{value === "" ? t("everywhere:none") : value}</dd>
          </div>
        ))}
      </dl>
    </Paper>
  );
}
