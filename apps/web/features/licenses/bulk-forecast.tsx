import { Group, Loader, Progress, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { BulkProgress } from "./bulk-actions.ts";

interface ForecastProps {
  readonly isPending: boolean;
  readonly data: BulkProgress | undefined;
}

/** The result of the dry run. */
export function Forecast({ isPending, data }: ForecastProps) {
  const { t, i18n } = useTranslation("licenses");
  if (isPending)
    return (
      <Group gap="xs" role="status">
        <Loader size="xs" />
        <Text size="sm" c="dimmed">
          {t("bulk.counting")}
        </Text>
      </Group>
    );
  if (data === undefined) return null;
  const rest = data.matched - data.changed;
  const number = (count: number) => ({ count, number: count.toLocaleString(i18n.language) });
  // The button shows how many will change.
  if (rest === 0 && data.changed > 0) return null;
  return (
    <Text size="sm" c="dimmed" role="status">
      {data.changed === 0
        ? t("bulk.nothing")
        : `${t("bulk.would", number(data.changed))} ${t("bulk.wouldKeep", number(rest))}`}
    </Text>
  );
}

interface SoFarProps {
  readonly done: number;
  readonly all: number;
  readonly isBusy: boolean;
}

/** How many have been processed. */
export function PreviousProgress({ done, all, isBusy }: SoFarProps) {
  const { t, i18n } = useTranslation("licenses");
  return (
    <div>
      <Progress
        value={all === 0 ? 100 : (done / all) * 100}
        animated={isBusy}
        striped={isBusy}
        aria-label={t("bulk.progress")}
      />
      <Text size="sm" c="dimmed" mt={4} className="figures" aria-live="polite">
        {t("bulk.processed", {
          done: done.toLocaleString(i18n.language),
          all: all.toLocaleString(i18n.language),
        })}
      </Text>
    </div>
  );
}
