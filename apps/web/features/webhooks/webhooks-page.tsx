import { Skeleton, Stack, Text, Tooltip } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask, askPages } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Icon } from "../../ui/icon.tsx";
import { GoButton, GoLink } from "../../ui/links.tsx";
import { ListPage } from "../../ui/list.tsx";
import { nameOf, percentage, WebhookState } from "./webhook-state.tsx";

export function WebhooksPage() {
  const { t } = useTranslation("webhooks");
  const organization = useOrganization();
  const may = useMay();
  const list = useInfiniteQuery(askPages("listWebhooks", { params: { organization_id: organization.id } }));
  const newOne = may("webhooks:manage") ? (
    <GoButton to={paths.newWebhook(organization.slug)} leftSection={<Icon name="plus" size={16} />}>
      {t("new.title")}
    </GoButton>
  ) : null;
  return (
    <ListPage
      title={t("list.title")}
      lead={t("list.lead")}
      actions={newOne}
      list={list}
      columns={[
        {
          header: t("list.endpoint"),
          fills: true,
          cell: (webhook) => (
            <Stack gap={0}>
              <GoLink to={paths.webhook(organization.slug, webhook.id)} fw={600} inherit>
                {nameOf(webhook)}
              </GoLink>
              <Text inherit c="dimmed" className="mono">
                {webhook.url}
              </Text>
            </Stack>
          ),
        },
        { header: t("list.state"), cell: (webhook) => <WebhookState webhook={webhook} /> },
        {
          header: t("list.format"),
          whole: true,
          wide: true,
          cell: (webhook) => t(`formats.${webhook.format}.name`),
        },
        {
          header: t("list.events"),
          whole: true,
          wide: true,
          cell: ({ event_types: types }) =>
            types === null ? t("list.allEvents") : t("list.types", { count: types.length }),
        },
        {
          header: t("list.lastSuccess"),
          wide: true,
          at: (webhook) => webhook.last_success_at,
          never: t("list.never"),
        },
        {
          header: t("list.rate"),
          align: "right",
          wide: true,
          cell: (webhook) => <SuccessRate webhookId={webhook.id} />,
        },
      ]}
      empty={{ icon: "webhook", title: t("empty.title"), words: t("empty.words"), action: newOne }}
    />
  );
}

/** The success rate of the last seven days, with details on hover. */
function SuccessRate({ webhookId }: { webhookId: string }) {
  const { t, i18n } = useTranslation("webhooks");
  const { id } = useOrganization();
  const { data, error } = useQuery({
    ...ask("getWebhookStatistics", { params: { organization_id: id, endpoint_id: webhookId } }),
    staleTime: 60_000,
  });
  if (error !== null) return <Text inherit>–</Text>;
  if (data === undefined) return <Skeleton height={14} width={44} ml="auto" />;
  const { success_rate: rate, attempts, failed_attempts: failed } = data.last_7_days;
  return (
    <Tooltip
      label={t("rate.words", { attempts, succeeded: attempts - failed, waiting: data.pending + data.held })}
    >
      <Text
        inherit
        component="span"
        className="figures"
        tabIndex={0}
        {...(rate === null ? { c: "dimmed" } : {})}
      >
        {rate === null ? "–" : percentage(rate, i18n.language)}
      </Text>
    </Tooltip>
  );
}
