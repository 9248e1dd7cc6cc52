import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answer } from "../api/client.ts";
import { ask, useChange } from "../api/queries.ts";
import { useProblemTexts } from "../i18n/problem-texts.ts";
import { useMay } from "../session/current-organization.ts";
import { useSendsEmail } from "../session/sends-email.ts";
import { Copy } from "../ui/copy.tsx";
import { notify, notifyProblem } from "../ui/notify.tsx";
import { Time } from "../ui/time.tsx";

type Email = Answer<"getLicenseEmail">;

interface LicenseEmailProps {
  readonly license: { readonly id: string; readonly revoked_at: string | null };
}

/** Whether the key was emailed to the customer, with a way to resend it; without email, the text to pass on. */
export function LicenseEmail({ license }: LicenseEmailProps) {
  const { t } = useTranslation("licenses");
  const may = useMay();
  const sendsEmail = useSendsEmail();
  const params = { license_id: license.id };
  const { data: email } = useQuery({
    ...ask("getLicenseEmail", { params }),
    enabled: may("licenses:view"),
    // It is sent within seconds.
    refetchInterval: ({ state }) => (state.data?.state === "queued" ? 2_000 : false),
  });
  const send = useChange("sendLicenseEmail");
  if (email === undefined) return "–";
  const run = () =>
    send.mutate(
      { params },
      {
        onSuccess: ({ recipient }) => notify(t("email.done", { recipient })),
        onError: notifyProblem,
      },
    );
  const canSend = sendsEmail && email.text !== null && license.revoked_at === null && may("licenses:update");
  return (
    <Stack gap={6} align="flex-start">
      <div>
        <EmailState email={email} sendsEmail={sendsEmail} />
      </div>
      <Group gap="xs">
        {canSend && email.state !== "queued" && (
          <Button size="compact-sm" variant="default" loading={send.isPending} onClick={run}>
            {t(email.state === "sent" || email.state === "failed" ? "email.resend" : "email.send")}
          </Button>
        )}
        {email.text !== null && (!sendsEmail || email.state === "failed") && (
          <Copy value={email.text} label={t("email.copy")} size="compact-sm" />
        )}
      </Group>
    </Stack>
  );
}

function EmailState({ email, sendsEmail }: { email: Email; sendsEmail: boolean }) {
  const { t } = useTranslation("licenses");
  const { failureText } = useProblemTexts();
  const { recipient } = email;
  if (recipient === null) return t("email.noAddress");
  switch (email.state) {
    case "sent":
      return (
        <>
          {t("email.sent", { recipient })}
          {email.sent_at !== null && (
            <Text c="dimmed" inherit>
              <Time at={email.sent_at} />
            </Text>
          )}
        </>
      );
    case "failed":
      return (
        <>
          {t("email.failed", { recipient })}
          {email.failure !== null && (
            <Text c="dimmed" inherit>
              {failureText(email.failure)}
            </Text>
          )}
        </>
      );
    case "queued":
      return t("email.queued", { recipient });
    case "over_limit":
      return t("email.overLimit");
    case "kept":
    case "none":
      return sendsEmail ? t("email.none") : t("email.noEmail", { recipient });
  }
}
