import { Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type BlockChoice, type BlockScope, sameScope } from "./scope.ts";

interface ScopeChoiceProps {
  readonly choices: readonly BlockChoice[];
  readonly scope: BlockScope;
  readonly onChange: (scope: BlockScope) => void;
}

/** Selects what a block applies to. */
export function ScopeChoice({ choices, scope, onChange }: ScopeChoiceProps) {
  const { t } = useTranslation("ip-blocks");
  const named = choices.map(({ scope: { level }, label }, at) => ({
    level,
    value: String(at),
    label: label === "" ? t(`form.scope.${level}`) : label,
  }));
  return (
    <Select
      label={t("form.scope.label")}
      searchable
      allowDeselect={false}
      maxDropdownHeight={280}
      data={[
        ...named.filter(({ level }) => level !== "customer" && level !== "license"),
        ...(["customer", "license"] as const)
          .map((level) => ({
            group: t(`form.scope.${level}`),
            items: named.filter((choice) => choice.level === level),
          }))
          .filter(({ items }) => items.length > 0),
      ]}
      value={String(choices.findIndex((choice) => sameScope(choice.scope, scope)))}
      onChange={(value) => {
        const chosen = choices[Number(value)];
        if (chosen !== undefined) onChange(chosen.scope);
      }}
    />
  );
}
