import { Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { BarChart } from "../../ui/bar-chart.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { Meter } from "../../ui/meter.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { forecastOf } from "./forecast.ts";
import { clockTime } from "./times.ts";
import classes from "./usage.module.css";

const tones = { active: "good", disabled: "warn", archived: "off" } as const;

/** A product's meter, its forecast, and its last two weeks. */
export function ProductToday({ usage }: { readonly usage: Item<"listProductUsage"> }) {
  const { t, i18n } = useTranslation("usage");
  const { slug } = useOrganization();
  const opensProducts = useMay()("products:view", "products:manage", "products:rotate_key");
  const { product_id: id, name, status, days, runs_out_at: runsOutAt, resets_at: resetsAt } = usage;
  const number = new Intl.NumberFormat(i18n.language);
  const forecast = forecastOf(usage);
  return (
    <li className={classes.product}>
      <div className={classes.meter}>
        <Meter
          name={
            <Group gap="xs">
              {opensProducts ? (
                <GoLink to={paths.product(slug, id)} fw={600}>
                  {name}
                </GoLink>
              ) : (
                <b>{name}</b>
              )}
              {status !== "active" && <StateMark tone={tones[status]}>{t(`status.${status}`)}</StateMark>}
            </Group>
          }
          used={usage.used_today}
          limit={usage.daily_limit}
        />
        {forecast !== null && (
          <Text size="sm" mt={4}>
            {t(`forecast.${forecast}`, {
              time: clockTime(runsOutAt ?? resetsAt, i18n.language),
              reset: clockTime(resetsAt, i18n.language),
            })}
          </Text>
        )}
      </div>
      <BarChart
        height={40}
        label={t("twoWeeks", { name, days: days.map((used) => number.format(used)).join(", ") })}
        bars={days.map((used, at) => ({
          key: at,
          title: t("daysAgo", { count: days.length - 1 - at, used: number.format(used) }),
          parts: [{ value: used }],
        }))}
      />
    </li>
  );
}
