import { useTranslation } from "react-i18next";
import { Page } from "../../ui/page.tsx";
import { DiscordPanel } from "./discord-panel.tsx";
import { PasskeysPanel } from "./passkeys-panel.tsx";
import { PasswordPanel } from "./password-panel.tsx";
import { SecondFactorPanel } from "./second-factor-panel.tsx";

export function SecurityPage() {
  const { t } = useTranslation("account");
  return (
    <Page narrow title={t("security.title")} lead={t("security.lead")}>
      <PasswordPanel />
      <SecondFactorPanel />
      <PasskeysPanel />
      <DiscordPanel />
    </Page>
  );
}
