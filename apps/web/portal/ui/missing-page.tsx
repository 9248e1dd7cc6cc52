import { useTranslation } from "react-i18next";
import { ButtonLink } from "./button.tsx";
import { Page } from "./page.tsx";

export function MissingPage() {
  const { t } = useTranslation("portal");
  return (
    <Page title={t("missing.title")}>
      <p>{t("missing.text")}</p>
      <div>
        <ButtonLink to="/" look="filled">
          {t("missing.back")}
        </ButtonLink>
      </div>
    </Page>
  );
}
