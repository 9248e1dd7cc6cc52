import { Select } from "@mantine/core";
import { type ReactNode, useMemo } from "react";

interface TimeZoneSelectProps {
  readonly label: string;
  readonly description: string;
  readonly value: string;
  readonly onChange: (timeZone: string) => void;
  readonly nothingFound: string;
  readonly error?: ReactNode;
}

/** One of the time zones that the browser knows, found by typing a part of its name. */
export function TimeZoneSelect({ onChange, nothingFound, ...field }: TimeZoneSelectProps) {
  const { value } = field;
  const choices = useMemo(() => {
    const zones = new Set([value, "UTC", ...Intl.supportedValuesOf("timeZone")]);
    return [...zones].sort().map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") }));
  }, [value]);
  return (
    <Select
      {...field}
      data={choices}
      searchable
      selectFirstOptionOnChange
      nothingFoundMessage={nothingFound}
      // What is typed replaces the zone that is there.
      onClick={(event) => event.currentTarget.select()}
      allowDeselect={false}
      onChange={(zone) => zone !== null && onChange(zone)}
    />
  );
}
