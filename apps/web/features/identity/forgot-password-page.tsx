import { useTranslation } from "react-i18next";
import { AskForLink } from "./ask-for-link.tsx";

export function ForgotPasswordPage() {
  const { t } = useTranslation("identity");
  return <AskForLink title={t("forgot.title")} lead={t("forgot.lead")} leadNoEmail={t("forgot.noEmail")} />;
}
