import { Group, Skeleton, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { BarChart } from "../../ui/bar-chart.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { relativeTime } from "../../ui/time.tsx";
import { type Bar, barsOf, outcomes } from "./bars.ts";
import classes from "./delivery-chart.module.css";
import type { Webhook } from "./webhook-state.tsx";

const height = 120;
const weekMs = 604_800_000;
const mostRead = 200;

/** The latest deliveries over time, stacked by outcome. */
export function DeliveryChart({ webhook }: { webhook: Webhook }) {
  const { t, i18n } = useTranslation("webhooks");
  const { id } = useOrganization();
  const [nowMs] = useState(() => Math.ceil(Date.now() / 60_000) * 60_000);
  const { data, error } = useQuery(
    ask("listWebhookDeliveries", {
      params: { organization_id: id, endpoint_id: webhook.id },
      query: { from: new Date(nowMs - weekMs).toISOString(), limit: mostRead },
    }),
  );
  if (error !== null) return <ProblemAlert error={error} />;
  if (data === undefined) return <Skeleton height={height + 60} />;
  const deliveries = data.data;
  const isCut = data.next_cursor !== null;
  const { bars, fromMs } = barsOf(deliveries, isCut, nowMs);
  const time = new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium", timeStyle: "short" });
  const titleOf = (bar: Bar) =>
    `${time.format(bar.fromMs)} – ${time.format(bar.toMs)}: ${outcomes
      .map((outcome) => `${bar.counts[outcome]} ${t(`chart.${outcome}`)}`)
      .join(", ")}`;
  const totals = Object.fromEntries(
    outcomes.map((outcome) => [outcome, bars.reduce((sum, bar) => sum + bar.counts[outcome], 0)]),
  );
  const since = relativeTime(new Date(fromMs).toISOString(), nowMs, i18n.language);
  return (
    <figure className={classes.figure}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Title order={2}>{isCut ? t("chart.newest", { count: deliveries.length }) : t("chart.all")}</Title>
        <Group gap="md" className={classes.legend ?? ""}>
          {outcomes.map((outcome) => (
            <span key={outcome} className={classes.key}>
              <svg width="10" height="10" aria-hidden="true">
                <rect width="10" height="10" rx="2" className={classes[outcome]} />
              </svg>
              {t(`chart.${outcome}`)} <b className="figures">{totals[outcome]}</b>
            </span>
          ))}
        </Group>
      </Group>
      <BarChart
        label={t("chart.words", { since, ...totals })}
        height={height}
        hasScale={deliveries.length > 0}
        bars={bars.map((bar) => ({
          key: bar.fromMs,
          title: titleOf(bar),
          parts: outcomes.map((outcome) => ({ value: bar.counts[outcome], className: classes[outcome] })),
        }))}
      />
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {since}
        </Text>
        {deliveries.length === 0 && (
          <Text size="xs" c="dimmed">
            {t("chart.nothing")}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {t("chart.now")}
        </Text>
      </Group>
    </figure>
  );
}
