import { hourMs } from "@countersign/domain/dates/lengths";
import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useWaitingTransfers, waitingText } from "../../session/waiting-transfers.ts";
import { GoLink } from "../../ui/links.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import classes from "./overview.module.css";
import { useUsage } from "./products-state.tsx";

/** Problems that need attention; null if there are none. */
export function Attention() {
  const { t } = useTranslation("overview");
  const items: { readonly key: string; readonly words: ReactNode }[] = [
    ...useTransfers(),
    ...useWebhooks(),
    ...useQuotas(),
  ];
  if (items.length === 0) return null;
  return (
    <Notice tone="warn" title={t("attention.title")}>
      <Stack gap={4}>
        {items.map(({ key, words }) => (
          <Text key={key} component="div" className={classes.attention ?? ""}>
            {words}
          </Text>
        ))}
      </Stack>
    </Notice>
  );
}

/** License transfers that wait for a decision. */
function useTransfers() {
  const { t } = useTranslation("overview");
  const organization = useOrganization();
  const count = useWaitingTransfers(organization);
  if (count === 0) return [];
  return [
    {
      key: "transfers",
      words: (
        <GoLink to={paths.transfers(organization.slug)} inherit underline="always">
          {t("attention.transfers", { count, number: waitingText(count) })}
        </GoLink>
      ),
    },
  ];
}

/** Endpoints whose deliveries fail. */
function useWebhooks() {
  const { t } = useTranslation("overview");
  const { id, slug } = useOrganization();
  const may = useMay();
  const { data } = useQuery({
    ...ask("listWebhooks", { params: { organization_id: id }, query: { limit: 100 } }),
    enabled: may("webhooks:view", "webhooks:manage"),
  });
  return (data?.data ?? [])
    .filter((webhook) => troubleOf(webhook) !== null)
    .map((webhook) => ({
      key: webhook.id,
      words: (
        <>
          <GoLink to={paths.webhook(slug, webhook.id)} inherit underline="always">
            {webhook.description === "" ? webhook.url : webhook.description}
          </GoLink>
          {": "}
          {t(`attention.${troubleOf(webhook)}`)}
        </>
      ),
    }));
}

/** Why an endpoint receives no events; null if it does or was disabled manually. */
function troubleOf({ status, failing_since, disabled_reason }: Item<"listWebhooks">) {
  if (status === "enabled") return failing_since === null ? null : "failing";
  return disabled_reason === "by_hand" ? null : disabled_reason === "gone" ? "gone" : "disabled";
}

/** Products that have used up their daily requests. */
function useQuotas() {
  const { t } = useTranslation("overview");
  const { id, slug, daily_limit } = useOrganization();
  const may = useMay();
  const [from] = useState(() => new Date(Math.floor(Date.now() / hourMs - 24) * hourMs).toISOString());
  const { data } = useQuery({
    ...ask("listEvents", {
      params: { organization_id: id },
      query: { type: "quota.exhausted", from, limit: 5 },
    }),
    // Without a limit there is nothing to report.
    enabled: daily_limit !== null && may("licenses:view", "webhooks:manage"),
  });
  const isWanted =
    (data?.data.length ?? 0) > 0 && may("products:view", "products:manage", "products:rotate_key");
  const usage = useUsage({ isWanted });
  const nameOf = (product: string | null) => usage.data?.data.find((one) => one.product_id === product)?.name;
  return (data?.data ?? []).map((event) => ({
    key: event.id,
    words: (
      <>
        <GoLink to={paths.product(slug, event.product_id ?? "")} inherit underline="always">
          {t("attention.quota", { name: nameOf(event.product_id) ?? t("attention.someProduct") })}
        </GoLink>{" "}
        <Time at={event.timestamp} />
      </>
    ),
  }));
}
