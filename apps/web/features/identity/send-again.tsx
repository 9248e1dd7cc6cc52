import { Alert, Button, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { Icon } from "../../ui/icon.tsx";
import { Refusal } from "./refusal.tsx";

/** A letter that verifies an address is on its way; it can be sent once more. */
export function SendAgain({ email, lead }: { email: string; lead: string }) {
  const { t } = useTranslation("identity");
  const send = useMutation({ mutationFn: () => callAuth("sendVerificationEmail", { email }) });
  return (
    <Alert color="verdigris" icon={<Icon name="mail" />} role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{send.isSuccess ? t("verify.sentAgain", { email }) : lead}</Text>
        <Refusal error={send.error} />
        {!send.isSuccess && (
          <Button size="compact-sm" variant="default" loading={send.isPending} onClick={() => send.mutate()}>
            {t("verify.again")}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
