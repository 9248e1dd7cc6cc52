import { localTime } from "@countersign/domain/dates/time-zone";
import { Button, Group, Input, Popover, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import { TimeZoneSelect } from "../../ui/select-field.tsx";
import { instantOf } from "./instant.ts";
import { defaultRange, rangeOf } from "./range.ts";
import { type AnalyticsSearch, quickRanges } from "./search.ts";

interface RangePickerProps {
  readonly search: AnalyticsSearch;
  readonly onChange: (changes: AnalyticsSearch) => void;
  readonly timeZone: string;
}

/** The range and the time zone of its days. */
export function RangePicker({ search, onChange, timeZone }: RangePickerProps) {
  const { t, i18n } = useTranslation("analytics");
  const [isOpen, setOpen] = useState(false);
  const day = new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium", timeZone });
  const words =
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
              aria-label={`${t("range.label", { zone })}: ${words}`}
              onClick={() => setOpen(!isOpen)}
            >
              {words}
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
