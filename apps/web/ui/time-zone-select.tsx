import { Select } from "@mantine/core";
import { type ReactNode, useMemo } from "react";

interface TimeZoneSelectProps {
  readonly label: string;
  readonly description: string;
  readonly value: string;
  readonly onChange: (timeZone: string) => void;
  readonly nothingFound: string;
  readonly error?: ReactNode;
  /** False inside a popover, which a click outside of it closes. */
  readonly withinPortal?: boolean;
}

/** One of the browser's time zones, found by part of its name. */
export function TimeZoneSelect({
  onChange,
  nothingFound,
  withinPortal = true,
  ...field
}: TimeZoneSelectProps) {
  const { value } = field;
  const choices = useMemo(() => {
    const zones = new Set([value, "UTC", ...Intl.supportedValuesOf("timeZone")]);
    return [...zones].sort().map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") }));
  }, [value]);
  return (
    <Select
      {...field}
      data={choices}
      comboboxProps={{ withinPortal }}
      searchable
      selectFirstOptionOnChange
      nothingFoundMessage={nothingFound}
      // Typing replaces the current value.
      onClick={(event) => event.currentTarget.select()}
      allowDeselect={false}
      onChange={(zone) => zone !== null && onChange(zone)}
    />
  );
}
