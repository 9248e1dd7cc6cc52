import { hourMs } from "@countersign/domain/dates/lengths";
import { isFinal } from "@countersign/domain/webhooks/delivery";
import { Group, Skeleton, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer, Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { BarChart } from "../../ui/bar-chart.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { fromNow } from "../../ui/time.tsx";
import { percentage, type Webhook } from "./webhook-state.tsx";
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
      <Dimmed>{name}</Dimmed>
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

const height = 120;
const weekMs = 604_800_000;
const maxRead = 200;

/** The latest deliveries over time, stacked by outcome. */
function DeliveryChart({ webhook }: { webhook: Webhook }) {
  const { t, i18n } = useTranslation("webhooks");
  const { id } = useOrganization();
  const [nowMs] = useState(() => Math.ceil(Date.now() / 60_000) * 60_000);
  const { data, error } = useQuery(
    ask("listWebhookDeliveries", {
      params: { organization_id: id, endpoint_id: webhook.id },
      query: { from: new Date(nowMs - weekMs).toISOString(), limit: maxRead },
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
  const since = fromNow(new Date(fromMs).toISOString(), i18n.language);
  return (
    <figure className={classes.chart}>
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
        <Dimmed size="xs">{since}</Dimmed>
        {deliveries.length === 0 && <Dimmed size="xs">{t("chart.nothing")}</Dimmed>}
        <Dimmed size="xs">{t("chart.now")}</Dimmed>
      </Group>
    </figure>
  );
}

type Delivery = Pick<Item<"listWebhookDeliveries">, "created_at" | "state">;

const outcomes = ["delivered", "waiting", "failed"] as const;
type Outcome = (typeof outcomes)[number];

interface Bar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly total: number;
}

const maxBars = 28;

/**
 * Deliveries by creation time. If not all were loaded, the chart starts at the oldest loaded one: empty bars before it
 * would look like no deliveries.
 */
function barsOf(
  deliveries: readonly Delivery[],
  isCut: boolean,
  nowMs: number,
): { readonly fromMs: number; readonly bars: readonly Bar[] } {
  const times = deliveries.map(({ created_at }) => Date.parse(created_at));
  const oldestMs = times.length === 0 ? nowMs : Math.min(...times);
  const fromMs = isCut ? oldestMs : nowMs - (nowMs - oldestMs <= 24 * hourMs ? 24 * hourMs : 168 * hourMs);
  const lengthMs = Math.max(1, (nowMs - fromMs) / maxBars);
  const bars = Array.from({ length: maxBars }, (_, index) => ({
    fromMs: fromMs + index * lengthMs,
    toMs: fromMs + (index + 1) * lengthMs,
    counts: { delivered: 0, waiting: 0, failed: 0 },
    total: 0,
  }));
  for (const [index, { state }] of deliveries.entries()) {
    const at = Math.floor(((times[index] ?? nowMs) - fromMs) / lengthMs);
    const bar = bars[Math.min(maxBars - 1, Math.max(0, at))];
    if (bar === undefined) continue;
    bar.counts[outcomeOf(state)] += 1;
    bar.total += 1;
  }
  return { fromMs, bars };
}

function outcomeOf(state: Delivery["state"]): Outcome {
  return isFinal(state) ? state : "waiting";
}
