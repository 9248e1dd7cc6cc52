import { Button, Code, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Trans, useTranslation } from "react-i18next";
import { useMe } from "../session/current-organization.ts";
import { paths } from "../session/paths.ts";
import { Copy } from "../ui/copy.tsx";
import { GoLink } from "../ui/links.tsx";
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

interface OneTimeLinkProps {
  readonly link: string;
  /** Actor it is for, and when it expires. */
  readonly children: ReactNode;
  readonly onDone: () => void;
}

/** A link to copy and send, where the server sends no email. It is shown once; a new one can be created. */
export function OneTimeLink({ link, children, onDone }: OneTimeLinkProps) {
  const { t } = useTranslation();
  return (
    <Stack>
      <NoEmail>{children}</NoEmail>
      <Code block style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
        {link}
      </Code>
      <Group justify="flex-end" gap="xs">
        <Copy value={link} label={t("noEmail.copy")} />
        <Button onClick={onDone}>{t("noEmail.done")}</Button>
      </Group>
    </Stack>
  );
}
