import { Group, Radio, Stack, Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { ImportOptions } from "./upload.ts";

type Choices = Pick<ImportOptions, "mode" | "onExisting" | "tellEvents">;

interface OptionFieldsProps {
  readonly value: Choices;
  readonly onChange: (part: Partial<Choices>) => void;
}

export function OptionFields({ value, onChange }: OptionFieldsProps) {
  const { t } = useTranslation("license-files");
  return (
    <Stack gap="md">
      <Group align="flex-start" gap="xl" grow preventGrowOverflow={false}>
        <Radio.Group
          label={t("options.mode")}
          value={value.mode}
          onChange={(mode) => onChange({ mode: mode as Choices["mode"] })}
        >
          <Stack gap={8} mt={6} miw={260}>
            {(["all_or_nothing", "row_by_row"] as const).map((mode) => (
              <Radio
                key={mode}
                value={mode}
                label={t(`options.modes.${mode}`)}
                description={t(`options.modeHints.${mode}`)}
              />
            ))}
          </Stack>
        </Radio.Group>
        <Radio.Group
          label={t("options.existing")}
          value={value.onExisting}
          onChange={(onExisting) => onChange({ onExisting: onExisting as Choices["onExisting"] })}
        >
          <Stack gap={8} mt={6} miw={260}>
            {(["fail", "skip", "update"] as const).map((way) => (
              <Radio
                key={way}
                value={way}
                label={t(`options.existingChoices.${way}`)}
                description={t(`options.existingHints.${way}`)}
              />
            ))}
          </Stack>
        </Radio.Group>
      </Group>
      <Switch
        label={t("options.events")}
        description={t("options.eventsHint")}
        checked={value.tellEvents}
        onChange={(event) => onChange({ tellEvents: event.currentTarget.checked })}
      />
    </Stack>
  );
}
