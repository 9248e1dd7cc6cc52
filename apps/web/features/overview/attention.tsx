import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../app/here.ts";
import { GoLink } from "../../ui/go-link.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";

/** What somebody should look at; nothing at all where there is nothing. */
export function Attention() {
  const { t } = useTranslation("overview");
  const matters: { readonly key: string; readonly words: ReactNode }[] = [...useWebhooks(), ...useQuotas()];
  if (matters.length === 0) return null;
  return (
    <Notice tone="warn" title={t("attention.title")}>
      <Stack gap={4}>
        {matters.map(({ key, words }) => (
          <Text key={key} component="div">
            {words}
          </Text>
        ))}
      </Stack>
    </Notice>
  );
}

/** Endpoints that should get what happens, and do not. */
function useWebhooks() {
  const { t } = useTranslation("overview");
  const { id, slug } = useOrganization();
  const may = useMay();
  const { data } = useQuery({
    ...ask("listWebhooks", { params: { organization_id: id }, query: { limit: 100 } }),
    enabled: may("webhooks:view", "webhooks:manage"),
  });
  return (data?.data ?? [])
    .filter(
      ({ status, failing_since, disabled_reason }) =>
        (status === "enabled" && failing_since !== null) ||
        (status === "disabled" && disabled_reason !== "by_hand"),
    )
    .map((webhook) => ({
      key: webhook.id,
      words: (
        <>
          <GoLink to={`/o/${slug}/webhooks/${webhook.id}`} inherit underline="always">
            {webhook.description === "" ? webhook.url : webhook.description}
          </GoLink>
          {": "}
          {webhook.status === "enabled" ? t("attention.failing") : t("attention.disabled")}
        </>
      ),
    }));
}

/** Products that were refused, or nearly, because of the day's limit. */
function useQuotas() {
  const { t } = useTranslation("overview");
  const { id, slug, daily_limit } = useOrganization();
  const may = useMay();
  const [from] = useState(() => new Date(Math.floor(Date.now() / 3_600_000 - 24) * 3_600_000).toISOString());
  const { data } = useQuery({
    ...ask("listEvents", {
      params: { organization_id: id },
      query: { type: "quota.exhausted", from, limit: 5 },
    }),
    // Where nothing is limited, nothing is used up.
    enabled: daily_limit !== null && may("licenses:view", "webhooks:manage"),
  });
  return (data?.data ?? []).map((event) => ({
    key: event.id,
    words: (
      <>
        <GoLink to={`/o/${slug}/products/${event.product_id ?? ""}`} inherit underline="always">
          {t("attention.quota")}
        </GoLink>{" "}
        <Time at={event.timestamp} />
      </>
    ),
  }));
}
