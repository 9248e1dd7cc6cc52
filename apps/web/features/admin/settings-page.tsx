import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Waiting } from "../../ui/waiting.tsx";
import { AuditLogArchiveNotice } from "./audit-log-archive.tsx";
import { OpenSignUpNotice } from "./open-sign-up.tsx";
import { PaymentSettings } from "./payment-settings.tsx";
import { LimitSettings, SignUpSettings } from "./server-settings.tsx";

/** The settings of the whole server. Each panel is reset if someone else changes what it shows. */
export function SettingsPage() {
  const { t } = useTranslation("admin");
  const { data, isPending, error } = useQuery(ask("getPlatformSettings"));
  if (isPending) return <Waiting />;
  return (
    <Page narrow title={t("settings.title")} lead={t("settings.lead")}>
      <ProblemAlert error={error} />
      {data !== undefined && (
        <>
          <OpenSignUpNotice settings={data} />
          <AuditLogArchiveNotice settings={data} />
          <SignUpSettings key={`sign-up ${data.default_plan} ${data.sign_up}`} settings={data} />
          <LimitSettings
            key={`limits ${data.daily_emails} ${data.webhook_endpoints} ${data.request_log_days} ${data.request_log_mb}`}
            settings={data}
          />
          <PaymentSettings
            key={`payments ${data.currency} ${data.billing_contact} ${data.automatic_tax}`}
            settings={data}
          />
        </>
      )}
    </Page>
  );
}
