import { Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "./state-mark.module.css";

interface StateMarkProps {
  /** good: as intended. wait: in progress. warn: needs attention. bad: failed. off: intentionally inactive. */
  readonly tone: "good" | "wait" | "warn" | "bad" | "off";
  readonly children: string;
  /** The explanation, on hover and focus. */
  readonly words?: string;
}

/** A state as a symbol and a word. Symbols differ in shape, not only in colour. */
export function StateMark({ tone, children, words }: StateMarkProps) {
  if (words === undefined)
    return (
      <span className={classes.state} data-tone={tone}>
        {children}
      </span>
    );
  return (
    <Tooltip label={words} multiline maw={300}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the explanation is shown on focus too. */}
      <span className={classes.state} data-tone={tone} tabIndex={0}>
        {children}
      </span>
    </Tooltip>
  );
}

/** Active, expired or revoked, as a dot and a word. */
export function LicenseStatus({ status }: { status: "active" | "expired" | "revoked" }) {
  const { t } = useTranslation();
  return (
    <span className={classes.status} data-status={status}>
      {t(`licenseStatus.${status}`)}
    </span>
  );
}
