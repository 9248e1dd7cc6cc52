import { Group, NumberInput, Radio, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";

interface OverrideFieldProps {
  readonly label: string;
  readonly description: string;
  /** The default. */
  readonly usual: string;
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
  readonly error: string | null;
  readonly max: number;
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
}: OverrideFieldProps) {
  const { t, i18n } = useTranslation("admin");
  const separator = new Intl.NumberFormat(i18n.language).format(10_000).charAt(2);
  return (
    <Radio.Group
      label={label}
      description={description}
      value={value === null ? "usual" : "own"}
      onChange={(choice) => onChange(choice === "usual" ? null : 0)}
    >
      <Stack gap={6} mt={6}>
        <Radio value="usual" label={usual} />
        <Group gap="xs" align="center">
          <Radio value="own" label={t("customLimit")} />
          {value !== null && (
            <NumberInput
              aria-label={`${label}: ${t("customLimit")}`}
              w={170}
              min={0}
              max={max}
              allowDecimal={false}
              allowNegative={false}
              thousandSeparator={/\d/.test(separator) ? " " : separator}
              decimalSeparator={separator === "," ? "." : ","}
              value={value}
              onChange={(next) => onChange(typeof next === "number" ? next : 0)}
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
