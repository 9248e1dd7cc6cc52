import { Text } from "@mantine/core";
import { Trans, useTranslation } from "react-i18next";
import { Notice } from "../../ui/notice.tsx";
import type { Settings } from "./use-save-settings.ts";

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
