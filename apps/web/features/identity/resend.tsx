import { Alert, Button, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";

/** Says that a verification email was sent, if the server sends emails, with a way to resend it. */
export function Resend({ email, lead }: { email: string; lead: string }) {
  const { t } = useTranslation("identity");
  const sendsEmail = useSendsEmail();
  const send = useMutation({ mutationFn: () => callAuth("sendVerificationEmail", { email }) });
  if (!sendsEmail)
    return (
      <Alert color="orange" icon={<Icon name="warning" />} role="status">
        {t("verify.firstNoEmail")}
      </Alert>
    );
  return (
    <Alert color="verdigris" icon={<Icon name="mail" />} role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{send.isSuccess ? t("verify.resent", { email }) : lead}</Text>
        <ProblemAlert error={send.error} />
        {!send.isSuccess && (
          <Button size="compact-sm" variant="default" loading={send.isPending} onClick={() => send.mutate()}>
            {t("verify.resend")}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
