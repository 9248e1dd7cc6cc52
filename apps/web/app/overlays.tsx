import { useTranslation } from "react-i18next";

/**
 * What opens above the page is put in here, by the mark that Mantine looks for: in a part of the page with a name, as
 * everything is, and not loose at its end.
 */
export function Overlays() {
  const { t } = useTranslation();
  return <section aria-label={t("overlays")} data-mantine-shared-portal-node="true" />;
}
