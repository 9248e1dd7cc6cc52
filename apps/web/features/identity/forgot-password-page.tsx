import { useTranslation } from "react-i18next";
import { RequestLink } from "./request-link.tsx";

export function ForgotPasswordPage() {
  const { t } = useTranslation("identity");
  return <RequestLink title={t("forgot.title")} lead={t("forgot.lead")} leadNoEmail={t("forgot.noEmail")} />;
}
