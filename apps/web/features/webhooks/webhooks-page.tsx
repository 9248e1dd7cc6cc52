import { Skeleton, Stack, Text, Tooltip } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask, askPages, flat } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { GoButton } from "../../ui/go-button.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { Page } from "../../ui/page.tsx";
import { nameOf, type Webhook, WebhookState } from "./webhook-state.tsx";

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
  const rows = flat(list.data);
  const columns: readonly Column<Webhook>[] = [
    {
      id: "endpoint",
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
    { id: "state", header: t("list.state"), cell: (webhook) => <WebhookState webhook={webhook} /> },
    {
      id: "format",
      header: t("list.format"),
      whole: true,
      wide: true,
      cell: (webhook) => t(`formats.${webhook.format}.name`),
    },
    {
      id: "events",
      header: t("list.events"),
      whole: true,
      wide: true,
      cell: ({ event_types }) =>
        event_types === null ? t("list.allEvents") : t("list.types", { count: event_types.length }),
    },
    {
      id: "last",
      header: t("list.lastSuccess"),
      wide: true,
      cell: ({ last_success_at }) =>
        last_success_at === null ? (
          <Text inherit c="dimmed">
            {t("list.never")}
          </Text>
        ) : (
          <ListTime at={last_success_at} />
        ),
    },
    {
      id: "rate",
      header: t("list.rate"),
      align: "right",
      wide: true,
      cell: (webhook) => <SuccessRate webhookId={webhook.id} />,
    },
  ];
  return (
    <Page wide title={t("list.title")} lead={t("list.lead")} actions={rows.length > 0 ? newOne : undefined}>
      <DataTable
        label={t("list.title")}
        columns={columns}
        rows={rows}
        keyOf={(webhook) => webhook.id}
        isPending={list.isPending}
        error={list.error}
        hasMore={list.hasNextPage}
        isFetchingMore={list.isFetchingNextPage}
        fetchMore={list.fetchNextPage}
        empty={
          <Empty icon="webhook" title={t("empty.title")} action={newOne}>
            {t("empty.words")}
          </Empty>
        }
      />
    </Page>
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

/** Rounded down: 100% means that no attempt failed. */
export function percentage(rate: number, language: string): string {
  return new Intl.NumberFormat(language, {
    style: "percent",
    maximumFractionDigits: 1,
    roundingMode: "floor",
  } as Intl.NumberFormatOptions).format(rate);
}
