import { useTranslation } from "react-i18next";
import classes from "./license-status.module.css";

/** Active, expired or revoked, as a dot and a word. */
export function LicenseStatus({ status }: { status: "active" | "expired" | "revoked" }) {
  const { t } = useTranslation();
  return (
    <span className={classes.status} data-status={status}>
      {t(`licenseStatus.${status}`)}
    </span>
  );
}
