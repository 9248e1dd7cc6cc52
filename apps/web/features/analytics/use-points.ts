import { useTranslation } from "react-i18next";
import { bucketPoints } from "../../ui/chart/bucket-labels.ts";
import type { Point } from "../../ui/chart/series.ts";
import type { Analytics } from "./use-analytics.ts";

/** The names of the buckets. The last one says if it has not ended. */
export function usePoints(data: Analytics | undefined): readonly Point[] {
  const { t, i18n } = useTranslation("analytics");
  if (data === undefined) return [];
  const { interval, time_zone: timeZone, buckets } = data;
  const points = bucketPoints(buckets, { interval, timeZone, language: i18n.language });
  const last = points.at(-1);
  const isRunning = last !== undefined && Date.parse(buckets.at(-1)?.to ?? "") > Date.now();
  return isRunning ? [...points.slice(0, -1), { ...last, full: t("soFar", { time: last.full }) }] : points;
}
