import { missingSignUpLimit } from "@countersign/domain/organizations/sign-up";
import { Text } from "@mantine/core";
import { Trans, useTranslation } from "react-i18next";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/links.tsx";
import { Notice } from "../../ui/notice.tsx";
import { usePlanName, usePlanOf } from "./plans.ts";
import type { Settings } from "./settings-form.ts";

/** Says that anyone can get an organization without a limit in total, and leads to what limits it. */
export function OpenSignUpNotice({ settings }: { settings: Settings }) {
  const { t } = useTranslation("admin");
  const planName = usePlanName();
  const plan = usePlanOf()(settings.default_plan);
  if (plan === undefined) return null;
  const missing = missingSignUpLimit({
    signUp: settings.sign_up,
    dailyLimit: plan.daily_limit,
    maxProducts: plan.max_products,
  });
  if (missing === null) return null;
  return (
    <Notice tone="warn" title={t("settings.openSignUp.title")}>
      <Text size="sm">
        <Trans
          t={t}
          i18nKey={`settings.openSignUp.${missing}`}
          values={{ plan: planName(settings.default_plan) }}
          components={{
            a: (
              <GoLink to={paths.platformSettings()} inherit underline="always">
                {""}
              </GoLink>
            ),
            b: (
              <GoLink to={paths.plans({ edit: settings.default_plan })} inherit underline="always">
                {""}
              </GoLink>
            ),
          }}
        />
      </Text>
    </Notice>
  );
}

/** Says that nothing is deleted from the audit log, although a plan or an organization has a limit. */
export function AuditLogArchiveNotice({ settings }: { settings: Settings }) {
  const { t } = useTranslation("admin");
  if (!settings.audit_log_limited || settings.audit_log_archive !== "unset") return null;
  return (
    <Notice tone="warn" title={t("settings.auditLogArchive.title")}>
      <Text size="sm">
        <Trans t={t} i18nKey="settings.auditLogArchive.words" components={{ code: <code /> }} />
      </Text>
    </Notice>
  );
}
