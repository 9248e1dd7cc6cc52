import { Checkbox, Group, NumberInput, Stack, Text } from "@mantine/core";
import { type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";
import { numberSeparators } from "./number-separators.ts";

/** A number, null for no limit, or empty while nothing is typed. */
export type Limit = number | null | "";

interface LimitFieldProps {
  readonly label: string;
  readonly description?: ReactNode;
  /** What null means, if not that there is no limit. */
  readonly none?: string;
  readonly value: Limit;
  readonly onChange: (value: Limit) => void;
  readonly error: string | null;
  readonly min?: number;
  readonly max: number;
}

/** A limit, or none. */
export function LimitField(props: LimitFieldProps) {
  const { label, description, value, onChange, error, min = 0, max } = props;
  const { t, i18n } = useTranslation("admin");
  const none = props.none ?? t("noLimit");
  // Comes back if the limit is turned off by mistake.
  const last = useRef<Limit>(value ?? "");
  const set = (next: Limit) => {
    if (next !== null) last.current = next;
    onChange(next);
  };
  return (
    <Stack gap={4}>
      <Group gap="sm" align="flex-end">
        <NumberInput
          label={label}
          flex="1 1 9rem"
          min={min}
          max={max}
          // Every number begins with a digit that is less than a larger minimum.
          clampBehavior={min > 1 ? "blur" : "strict"}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...numberSeparators(i18n.language)}
          required={value !== null}
          withAsterisk={false}
          disabled={value === null}
          placeholder={value === null ? none : ""}
          value={value ?? ""}
          onChange={(next) => set(typeof next === "number" ? next : "")}
          error={error}
        />
        <Checkbox
          mb={8}
          label={none}
          aria-label={`${label}: ${none}`}
          checked={value === null}
          onChange={(event) => set(event.currentTarget.checked ? null : last.current)}
        />
      </Group>
      {description !== undefined && (
        <Text size="xs" c="dimmed">
          {description}
        </Text>
      )}
      {value === 0 && (
        <Text size="xs" c="dimmed">
          {t("zero")}
        </Text>
      )}
    </Stack>
  );
}
