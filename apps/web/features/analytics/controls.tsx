import { localTime } from "@countersign/domain/dates/time-zone";
import { Button, Group, Input, Popover, Select, Stack, Switch, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import type { Interval } from "../../ui/chart/bucket-labels.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Icon } from "../../ui/icon.tsx";
import { TimeZoneSelect } from "../../ui/select-field.tsx";
import classes from "./analytics.module.css";
import { type AnalyticsSearch, intervals, quickRanges } from "./search.ts";
import { type AnalyticsState, defaultRange, instantOf, rangeOf } from "./use-analytics.ts";

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
      {state.isBeforeGone && <Dimmed className={classes.compare}>{t("compare.gone")}</Dimmed>}
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

interface RangePickerProps {
  readonly search: AnalyticsSearch;
  readonly onChange: (changes: AnalyticsSearch) => void;
  readonly timeZone: string;
}

/** The range and the time zone of its days. */
function RangePicker({ search, onChange, timeZone }: RangePickerProps) {
  const { t, i18n } = useTranslation("analytics");
  const [isOpen, setOpen] = useState(false);
  const day = new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium", timeZone });
  const rangeText =
    search.from === undefined
      ? t(`range.quick.${search.range ?? defaultRange}`)
      : day.formatRange(
          new Date(search.from),
          // The last moment: the end is not part of it.
          search.to === undefined
            ? new Date()
            : new Date(Math.max(Date.parse(search.from), Date.parse(search.to) - 1)),
        );
  const zone = timeZone.replaceAll("_", " ");
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus position="bottom-start" shadow="md" width={320}>
      <Input.Wrapper label={t("range.label", { zone })} labelElement="div">
        <div>
          <Popover.Target>
            <Button
              variant="default"
              fw={400}
              leftSection={<Icon name="clock" size={15} />}
              rightSection={<Icon name="down" size={14} />}
              aria-label={`${t("range.label", { zone })}: ${rangeText}`}
              onClick={() => setOpen(!isOpen)}
            >
              {rangeText}
            </Button>
          </Popover.Target>
        </div>
      </Input.Wrapper>
      <Popover.Dropdown aria-label={t("range.choose")}>
        <Stack gap="sm">
          <Group gap={6}>
            {quickRanges.map((range) => {
              const isCurrent = search.from === undefined && range === (search.range ?? defaultRange);
              return (
                <Button
                  key={range}
                  size="compact-sm"
                  variant={isCurrent ? "filled" : "light"}
                  aria-pressed={isCurrent}
                  onClick={() => {
                    onChange({
                      range: range === defaultRange ? undefined : range,
                      from: undefined,
                      to: undefined,
                    });
                    setOpen(false);
                  }}
                >
                  {t(`range.quick.${range}`)}
                </Button>
              );
            })}
          </Group>
          <CustomRange
            // Reset if the time zone changes.
            key={timeZone}
            search={search}
            timeZone={timeZone}
            onChange={(range) => {
              onChange(range);
              setOpen(false);
            }}
          />
          <TimeZoneSelect
            label={t("range.zone")}
            description={t("range.zoneWords")}
            value={timeZone}
            nothingFound={t("range.noZone")}
            withinPortal={false}
            onChange={(next) => onChange({ zone: next })}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function CustomRange({ search, onChange, timeZone }: RangePickerProps) {
  const { t } = useTranslation("analytics");
  const current = rangeOf(search, timeZone, Date.now());
  const local = (at: string) => localTime(Date.parse(at), timeZone).slice(0, 16);
  const [from, setFrom] = useState(local(current.from));
  const [to, setTo] = useState(current.to === undefined ? "" : local(current.to));
  const [start, end] = [instantOf(from, timeZone), to === "" ? undefined : instantOf(to, timeZone)];
  const isWrong =
    start === null || end === null || (end !== undefined && Date.parse(end) <= Date.parse(start));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWrong) onChange({ range: undefined, from: start, to: end });
      }}
    >
      <Stack gap="xs">
        <TextInput
          type="datetime-local"
          step={3_600}
          label={t("everywhere:range.from")}
          value={from}
          required
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          step={3_600}
          label={t("everywhere:range.to")}
          description={t("range.toWords")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          value={to}
          error={isWrong && start !== null && t("range.wrong")}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={isWrong}>
          {t("range.apply")}
        </Button>
      </Stack>
    </form>
  );
}
