import { useTranslation } from "react-i18next";

export function App() {
  const { t } = useTranslation("portal");
  return <h1>{t("licenses.title")}</h1>;
}
