import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Trans, useTranslation } from "react-i18next";
import { useMe } from "../session/current-organization.ts";
import { paths } from "../session/paths.ts";
import { GoLink } from "../ui/go-link.tsx";
import { Notice } from "../ui/notice.tsx";

/** Explains that no email is sent, what to do instead, and where the emails are listed. */
export function NoEmail({ children }: { readonly children?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Notice tone="warn" title={t("noEmail.title")}>
      {children !== undefined && <Text size="sm">{children}</Text>}
      <Text size="sm">
        <WhereEmailsAre />
      </Text>
    </Notice>
  );
}

/** Platform admins read unsent emails in the outbox. */
function WhereEmailsAre() {
  const { t } = useTranslation();
  const me = useMe();
  if (!me.is_platform_admin) return t("noEmail.others");
  return (
    <Trans
      t={t}
      i18nKey="noEmail.admin"
      components={{
        a: (
          <GoLink to={paths.outbox()} inherit underline="always">
            {""}
          </GoLink>
        ),
      }}
    />
  );
}
