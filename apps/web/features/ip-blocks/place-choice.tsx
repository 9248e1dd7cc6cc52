import { Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type BlockChoice, type BlockPlace, samePlace } from "./place.ts";

interface PlaceChoiceProps {
  readonly choices: readonly BlockChoice[];
  readonly place: BlockPlace;
  readonly onChange: (place: BlockPlace) => void;
}

/** Whom a block is for, where there is a choice. */
export function PlaceChoice({ choices, place, onChange }: PlaceChoiceProps) {
  const { t } = useTranslation("ip-blocks");
  const named = choices.map(({ place: { level }, label }, at) => ({
    level,
    value: String(at),
    label: label === "" ? t(`form.for.${level}`) : label,
  }));
  return (
    <Select
      label={t("form.for.label")}
      searchable
      allowDeselect={false}
      maxDropdownHeight={280}
      data={[
        ...named.filter(({ level }) => level !== "customer" && level !== "license"),
        ...(["customer", "license"] as const)
          .map((level) => ({
            group: t(`form.for.${level}`),
            items: named.filter((choice) => choice.level === level),
          }))
          .filter(({ items }) => items.length > 0),
      ]}
      value={String(choices.findIndex((choice) => samePlace(choice.place, place)))}
      onChange={(value) => {
        const chosen = choices[Number(value)];
        if (chosen !== undefined) onChange(chosen.place);
      }}
    />
  );
}
