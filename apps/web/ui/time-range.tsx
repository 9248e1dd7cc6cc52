import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { Button, Group, Popover, Stack, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon.tsx";
import { fromLocal, toLocal } from "./time-fields.tsx";

export interface Range {
  /** ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface TimeRangeProps extends Range {
  readonly onChange: (range: Range) => void;
  readonly fullWidth?: boolean;
}

const presets = [
  ["hour", hourMs],
  ["day", dayMs],
  ["week", 604_800_000],
  ["month", 2_592_000_000],
] as const;

/** A time range, shown in the user's time zone; the URL has it in UTC. */
export function TimeRange({ from, to, onChange, fullWidth = false }: TimeRangeProps) {
  const { t, i18n } = useTranslation();
  const isSet = from !== undefined || to !== undefined;
  const short = (at: string) =>
    new Intl.DateTimeFormat(i18n.language, { dateStyle: "short", timeStyle: "short" }).format(new Date(at));
  const rangeText =
    from !== undefined && to !== undefined
      ? `${short(from)} – ${short(to)}`
      : from !== undefined
        ? t("range.since", { time: short(from) })
        : to !== undefined
          ? t("range.until", { time: short(to) })
          : t("range.any");
  return (
    <Popover trapFocus position="bottom-start" shadow="md" width={300}>
      <Popover.Target>
        <Button
          variant="default"
          fw={400}
          fullWidth={fullWidth}
          leftSection={<Icon name="clock" size={15} />}
          aria-label={`${t("range.label")}: ${rangeText}`}
          data-active={isSet || undefined}
        >
          {rangeText}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Group gap={6}>
            {presets.map(([name, lengthMs]) => (
              <Button
                key={name}
                size="compact-sm"
                variant="light"
                onClick={() =>
                  onChange({ from: new Date(Date.now() - lengthMs).toISOString(), to: undefined })
                }
              >
                {t(`range.${name}`)}
              </Button>
            ))}
          </Group>
          <RangeFields from={from} to={to} onChange={onChange} />
          {isSet && (
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => onChange({ from: undefined, to: undefined })}
            >
              {t("range.clear")}
            </Button>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Only the two fields, for a dialog. */
export function RangeFields({ from, to, onChange }: TimeRangeProps) {
  const { t } = useTranslation();
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Stack gap="xs">
      <TextInput
        type="datetime-local"
        label={t("range.from")}
        value={toLocal(from ?? null)}
        onChange={(event) => onChange({ from: fromLocal(event.currentTarget.value) ?? undefined, to })}
      />
      <TextInput
        type="datetime-local"
        label={t("range.to")}
        description={t("range.zone", { zone })}
        inputWrapperOrder={["label", "input", "description", "error"]}
        value={toLocal(to ?? null)}
        onChange={(event) => onChange({ from, to: fromLocal(event.currentTarget.value) ?? undefined })}
      />
    </Stack>
  );
}
