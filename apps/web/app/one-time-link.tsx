import { Button, Code, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Copy } from "../ui/copy.tsx";
import { NoEmail } from "./no-email.tsx";

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
