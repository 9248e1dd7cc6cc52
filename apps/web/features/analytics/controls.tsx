import { Select, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import type { Interval } from "../../ui/chart/bucket-labels.ts";
import classes from "./analytics.module.css";
import { RangePicker } from "./range-picker.tsx";
import { type AnalyticsSearch, intervals } from "./search.ts";
import type { AnalyticsState } from "./use-analytics.ts";

interface ControlsProps {
  readonly search: AnalyticsSearch;
  readonly onChange: (changes: AnalyticsSearch) => void;
  readonly state: AnalyticsState;
  readonly choosesProduct: boolean;
  /** The one that suits the range, once known. */
  readonly interval: Interval | undefined;
}

/** What the page shows: the range, its intervals, the product, and whether it is compared. */
export function Controls({ search, onChange, state, choosesProduct, interval }: ControlsProps) {
  const { t } = useTranslation("analytics");
  const suits = search.interval === undefined && interval !== undefined;
  return (
    <div className={classes.controls}>
      <RangePicker search={search} onChange={onChange} timeZone={state.timeZone} />
      <Select
        className={classes.interval ?? ""}
        label={t("interval.label")}
        data={[
          {
            value: "",
            label: suits ? t("interval.auto", { interval: t(`interval.${interval}`) }) : t("interval.suited"),
          },
          ...intervals.map((value) => ({ value, label: t(`interval.${value}`) })),
        ]}
        value={search.interval ?? ""}
        allowDeselect={false}
        onChange={(value) => onChange({ interval: intervals.find((one) => one === value) })}
      />
      {choosesProduct && <ProductSelect search={search} onChange={onChange} />}
      <Switch
        className={classes.compare ?? ""}
        label={t("compare.label")}
        checked={search.compare !== false}
        onChange={(event) => onChange({ compare: event.currentTarget.checked ? undefined : false })}
      />
      {state.isBeforeGone && (
        <Text size="sm" c="dimmed" className={classes.compare}>
          {t("compare.gone")}
        </Text>
      )}
    </div>
  );
}

function ProductSelect({ search, onChange }: Pick<ControlsProps, "search" | "onChange">) {
  const { t } = useTranslation("analytics");
  const { id } = useOrganization();
  const seesProducts = useMay()("products:view", "products:manage", "products:rotate_key", "analytics:view");
  const products = useQuery({
    ...ask("listProductUsage", { params: { organization_id: id }, query: { limit: 200 } }),
    enabled: seesProducts,
  });
  return (
    <Select
      className={classes.product ?? ""}
      label={t("product.label")}
      data={[
        { value: "", label: t("product.all") },
        ...(products.data?.data ?? []).map((one) => ({ value: one.product_id, label: one.name })),
      ]}
      value={search.product ?? ""}
      allowDeselect={false}
      searchable
      nothingFoundMessage={t("product.none")}
      onChange={(value) => onChange({ product: value || undefined })}
    />
  );
}
