import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { List } from "../../ui/list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { ListTime } from "../../ui/time.tsx";

type JobRun = Item<"listJobs">;

const readEveryMs = 10_000;

/** The periodic jobs and their last runs on every node. */
export function JobsPage() {
  const { t, i18n } = useTranslation("admin");
  const list = useQuery({ ...ask("listJobs"), refetchInterval: readEveryMs });
  const rows = byJob(list.data?.data ?? []);
  const nodes = new Set(rows.map(({ node }) => node)).size;
  const failed = rows.filter((run) => stateOf(run) === "failed").length;
  const duration = (ms: number) => shownDuration(ms, i18n.language);
  return (
    <Page wide title={t("jobs.title")} lead={t("jobs.lead")}>
      {failed > 0 && <Notice tone="bad" title={t("jobs.failing", { count: failed })} />}
      <List
        label={t("jobs.title")}
        list={list}
        rows={rows}
        keyOf={(run) => `${run.job} ${run.node}`}
        columns={[
          {
            header: t("jobs.job"),
            cell: (run) => (
              <Stack gap={0} miw={0}>
                <Text size="sm" fw={600}>
                  {t(`jobs.names.${run.job}`, { defaultValue: run.job })}
                </Text>
                <Dimmed size="xs">
                  {t("jobs.every", { duration: duration(run.every_seconds * 1_000) })}
                </Dimmed>
                <Dimmed size="xs" hiddenFrom="sm">
                  {t("jobs.started")}: <ListTime at={run.started_at} />
                </Dimmed>
                {nodes > 1 && (
                  <Dimmed size="xs" hiddenFrom="sm">
                    <Node run={run} />
                  </Dimmed>
                )}
              </Stack>
            ),
          },
          nodes > 1 && { header: t("jobs.node"), wide: true, cell: (run) => <Node run={run} /> },
          { header: t("jobs.started"), wide: true, at: (run) => run.started_at },
          {
            header: t("jobs.duration"),
            align: "right",
            wide: true,
            cell: (run) => (
              <span className="figures">{run.duration_ms === null ? "–" : duration(run.duration_ms)}</span>
            ),
          },
          { header: t("jobs.state"), cell: (run) => <JobState run={run} /> },
        ]}
        empty={{ icon: "clock", title: t("jobs.empty"), words: t("jobs.emptyWords") }}
      />
    </Page>
  );
}

function Node({ run }: { run: JobRun }) {
  const { t } = useTranslation("admin");
  return (
    <Group gap={6}>
      <span className="mono">{run.node}</span>
      {run.is_this_node && (
        <Dimmed span size="xs">
          {t("jobs.thisNode")}
        </Dimmed>
      )}
    </Group>
  );
}

const tones = { failed: "bad", interrupted: "bad", running: "wait", done: "good" } as const;

/** Whether the last run failed, and why; also an earlier failure, because it may come back. */
function JobState({ run }: { run: JobRun }) {
  const { t } = useTranslation("admin");
  const state = stateOf(run);
  return (
    <Stack gap={2}>
      <StateMark tone={tones[state]}>{t(`jobs.states.${state}`)}</StateMark>
      {run.failed_at !== null && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {state !== "failed" && (
            <>
              {t("jobs.lastFailure")} <ListTime at={run.failed_at} />:{" "}
            </>
          )}
          {run.failure}
        </Text>
      )}
    </Stack>
  );
}

interface Run {
  readonly job: string;
  readonly node: string;
  readonly is_this_node: boolean;
  readonly is_interrupted: boolean;
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly failed_at: string | null;
}

/** How the last run went. */
export function stateOf(run: Run): "running" | "interrupted" | "failed" | "done" {
  if (run.is_interrupted) return "interrupted";
  if (run.duration_ms === null) return "running";
  return run.failed_at !== null && Date.parse(run.failed_at) >= Date.parse(run.started_at)
    ? "failed"
    : "done";
}

/** Sorted by job, and within a job this node first. */
export function byJob<Row extends Run>(runs: readonly Row[]): Row[] {
  return [...runs].sort(
    (one, other) =>
      one.job.localeCompare(other.job) ||
      Number(other.is_this_node) - Number(one.is_this_node) ||
      one.node.localeCompare(other.node),
  );
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** A duration in its largest unit. */
export function shownDuration(ms: number, language: string): string {
  const [unit, length] = units.find(([, most]) => ms >= most) ?? (["millisecond", 1] as const);
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit,
    unitDisplay: ms < 1_000 ? "short" : "long",
    maximumFractionDigits: 1,
  }).format(ms / length);
}
