import { Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { DeliveryChart } from "./delivery-chart.tsx";
import { percentage } from "./success-rate.tsx";
import type { Webhook } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

type Statistics = Answer<"getWebhookStatistics">;

/** How well the endpoint responds. */
export function StatisticsTab({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation("webhooks");
  const counted = useCounted();
  const { id } = useOrganization();
  const { data, error } = useQuery(
    ask("getWebhookStatistics", { params: { organization_id: id, endpoint_id: webhook.id } }),
  );
  if (error !== null) return <ProblemAlert error={error} />;
  if (data === undefined) return <Skeleton height={320} />;
  return (
    <Stack gap="lg">
      <DeliveryChart webhook={webhook} />
      <Span title={t("statistics.day")} span={data.last_24_hours} />
      <Span title={t("statistics.week")} span={data.last_7_days} />
      <section>
        <Title order={2} mb="xs">
          {t("statistics.now")}
        </Title>
        <div className={classes.tiles}>
          <Tile name={t("statistics.pending")} figure={counted(data.pending)} />
          <Tile name={t("statistics.held")} figure={counted(data.held)} />
        </div>
      </section>
    </Stack>
  );
}

function Span({ title, span }: { title: string; span: Statistics["last_7_days"] }) {
  const { t, i18n } = useTranslation("webhooks");
  const counted = useCounted();
  const duration = (ms: number | null) =>
    ms === null ? "–" : t("statistics.ms", { duration: new Intl.NumberFormat(i18n.language).format(ms) });
  const number = new Intl.NumberFormat(i18n.language);
  const figures = { failed: number.format(span.failed_attempts), attempts: number.format(span.attempts) };
  return (
    <section>
      <Title order={2} mb="xs">
        {title}
      </Title>
      <div className={classes.tiles}>
        <Tile
          name={t("statistics.rate")}
          figure={span.success_rate === null ? "–" : percentage(span.success_rate, i18n.language)}
        />
        <Tile name={t("statistics.failedAttempts")} figure={t("statistics.ofAttempts", figures)} />
        <Tile name={t("statistics.delivered")} figure={counted(span.delivered, span.counts_are_exact)} />
        <Tile name={t("statistics.failed")} figure={counted(span.failed, span.counts_are_exact)} />
        <Tile name={t("statistics.median")} figure={duration(span.median_ms)} />
        <Tile name={t("statistics.p95")} figure={duration(span.p95_ms)} />
      </div>
    </section>
  );
}

function Tile({ name, figure }: { name: string; figure: string }) {
  return (
    <div className={classes.tile}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <div className={`${classes.figure} figures`}>{figure}</div>
    </div>
  );
}

/** The server counts for a few seconds at most, and reports when the count is incomplete. */
function useCounted() {
  const { t, i18n } = useTranslation("webhooks");
  const number = new Intl.NumberFormat(i18n.language);
  return (count: number, isExact = true) =>
    isExact ? number.format(count) : t("statistics.atLeast", { number: number.format(count) });
}
