import { useTranslation } from "react-i18next";
import type { License } from "../base/api.ts";

/** Which versions of the product a license can use. */
export function useVersionText(): (versions: License["versions"]) => string {
  const { t } = useTranslation("portal");
  return (versions) => {
    if (versions === null) return t("versions.all");
    const { pinned, min, max } = versions;
    if (pinned !== null) return t("versions.pinned", { version: pinned });
    if (min !== null && max !== null) return t("versions.range", { min, max });
    if (min !== null) return t("versions.from", { min });
    return max === null ? t("versions.all") : t("versions.below", { max });
  };
}
