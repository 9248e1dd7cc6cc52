import { Group, NumberInput, Radio, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { numberSeparators } from "./number-separators.ts";

interface OverrideFieldProps {
  readonly label: string;
  readonly description: string;
  /** The default. */
  readonly usual: string;
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
  readonly error: string | null;
  readonly max: number;
  /** The smallest number, and the first one offered. */
  readonly min?: number;
}

/** A number that overrides the default. */
export function OverrideField({
  label,
  description,
  usual,
  value,
  onChange,
  error,
  max,
  min = 0,
}: OverrideFieldProps) {
  const { t, i18n } = useTranslation("admin");
  return (
    <Radio.Group
      label={label}
      description={description}
      value={value === null ? "usual" : "own"}
      onChange={(choice) => onChange(choice === "usual" ? null : min)}
    >
      <Stack gap={6} mt={6}>
        <Radio value="usual" label={usual} />
        <Group gap="xs" align="center">
          <Radio value="own" label={t("customLimit")} />
          {value !== null && (
            <NumberInput
              aria-label={`${label}: ${t("customLimit")}`}
              w={170}
              min={min}
              max={max}
              allowDecimal={false}
              allowNegative={false}
              {...numberSeparators(i18n.language)}
              value={value}
              onChange={(next) => onChange(typeof next === "number" ? next : min)}
              error={error}
            />
          )}
        </Group>
        {value === 0 && (
          <Text size="xs" c="dimmed">
            {t("zero")}
          </Text>
        )}
      </Stack>
    </Radio.Group>
  );
}
