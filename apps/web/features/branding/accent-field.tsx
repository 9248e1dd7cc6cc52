import { checkAccentColor, contrast, parseColor } from "@countersign/domain/branding/accent-color";
import { Button, ColorSwatch, Group, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import classes from "./branding.module.css";
import { colorOf } from "./branding-draft.ts";
import { ownAccent } from "./preview-colors.ts";

interface AccentFieldProps {
  readonly value: string;
  readonly onChange: (color: string) => void;
  readonly error: string | null;
}

/** A color as text and by the browser's color picker, with its contrast. */
export function AccentField({ value, onChange, error }: AccentFieldProps) {
  const { t } = useTranslation("branding");
  const color = colorOf(value);
  const checked = color === "" ? null : checkAccentColor(color);
  const fault = checked === null || checked.ok ? null : checked.fault;
  const wrong = fault === null ? error : t(`form.${fault.code}`);
  return (
    <div>
      <TextInput
        label={t("form.color")}
        description={t("form.colorWords")}
        placeholder={ownAccent}
        maxLength={20}
        spellCheck={false}
        autoCapitalize="none"
        classNames={{ input: "mono" }}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={wrong}
        data-unreadable={fault === null ? undefined : true}
        rightSectionWidth={52}
        rightSection={
          <input
            type="color"
            className={classes.picker}
            aria-label={t("form.pick")}
            value={parseColor(color) === null ? ownAccent : color.toLowerCase()}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        }
      />
      <Group gap="xs" mt={color === "" ? 0 : 6} role="status">
        {checked?.ok === true && <Contrast color={checked.color} />}
        {fault?.code === "accent_contrast_too_low" && (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<ColorSwatch color={fault.suggestion} size={14} />}
            onClick={() => onChange(fault.suggestion)}
          >
            {t("form.use", { color: fault.suggestion })}
          </Button>
        )}
        {color !== "" && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => onChange("")}>
            {t("form.reset")}
          </Button>
        )}
      </Group>
    </div>
  );
}

function Contrast({ color }: { readonly color: string }) {
  const { t, i18n } = useTranslation("branding");
  const parsed = parseColor(color);
  if (parsed === null) return null;
  // Rounded down, so that no color seems to have more than it has.
  const ratio = Math.floor(contrast(parsed, { red: 255, green: 255, blue: 255 }) * 10) / 10;
  return (
    <Group gap={4}>
      <Icon name="check" size={14} />
      <Text size="sm" c="dimmed" className="figures">
        {t("form.contrast", { ratio: ratio.toLocaleString(i18n.language) })}
      </Text>
    </Group>
  );
}
