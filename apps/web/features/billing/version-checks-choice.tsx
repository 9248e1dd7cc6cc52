import { Radio } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "./billing.module.css";

export type OnDowngrade = "enforce" | "report";
const onDowngradeChoices: readonly OnDowngrade[] = ["enforce", "report"];

interface VersionChecksChoiceProps {
  readonly label: string;
  readonly value: OnDowngrade;
  readonly onChange: (value: OnDowngrade) => void;
}

/** What products that check versions do on a plan without version checks. */
export function VersionChecksChoice({ label, value, onChange }: VersionChecksChoiceProps) {
  const { t } = useTranslation("billing");
  return (
    <Radio.Group label={label} value={value} onChange={(next) => onChange(next as OnDowngrade)}>
      <div className={classes.choices}>
        {onDowngradeChoices.map((one) => (
          <Radio
            key={one}
            size="md"
            value={one}
            label={t(`downgrade.${one}.label`)}
            description={t(`downgrade.${one}.words`)}
          />
        ))}
      </div>
    </Radio.Group>
  );
}
