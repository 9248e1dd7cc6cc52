import { Alert, Badge, Button, Group, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { NoEmail } from "../../app/no-email.tsx";
import { useMe } from "../../session/current-organization.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { ProofFields, useProof } from "./proof.tsx";

/** A new email address takes effect after it is confirmed. */
export function EmailPanel() {
  const { t } = useTranslation("account");
  const me = useMe();
  const [isOpen, setOpen] = useState(false);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const sendsEmail = useSendsEmail();
  return (
    <Panel
      title={t("email.title")}
      lead={t("email.lead")}
      actions={
        <Button variant="default" onClick={() => setOpen(true)}>
          {t("email.open")}
        </Button>
      }
    >
      <Group gap="xs">
        <Text fw={600} style={{ overflowWrap: "anywhere" }}>
          {me.email}
        </Text>
        <Badge variant="light" color={me.email_verified ? "verdigris" : "orange"}>
          {t(me.email_verified ? "email.verified" : "email.unverified")}
        </Badge>
      </Group>
      {sentTo !== null && !sendsEmail && <NoEmail>{t("email.sentNoEmail", { email: sentTo })}</NoEmail>}
      {sentTo !== null && sendsEmail && (
        <Alert icon={<Icon name="mail" />} role="status">
          {t("email.sent", { email: sentTo })}
        </Alert>
      )}
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t("email.open")}>
        {isOpen && (
          <EmailForm
            onSent={(email) => {
              setSentTo(email);
              setOpen(false);
            }}
          />
        )}
      </Dialog>
    </Panel>
  );
}

function EmailForm({ onSent }: { onSent: (email: string) => void }) {
  const { t } = useTranslation("account");
  const sendsEmail = useSendsEmail();
  const change = useChange("changeMyEmail");
  const [email, setEmail] = useState("");
  const proof = useProof();
  const send = useMutation({
    mutationFn: async () => {
      const proven = await proof.prove();
      if (proven === null) return;
      const answer = await change.mutateAsync({ body: { new_email: email, ...proven } });
      onSent(answer.new_email);
    },
  });
  return (
    <DialogForm
      onSubmit={send.mutate}
      typed={email}
      error={send.error}
      isBusy={send.isPending}
      action={t(sendsEmail ? "email.do" : "email.doNoEmail")}
    >
      <ProblemAlert error={send.error} beside={["new_email", "password", "code"]} />
      <TextInput
        label={t("email.new")}
        type="email"
        required
        data-autofocus
        autoComplete="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={fieldError(send.error, "new_email")}
      />
      <ProofFields proof={proof} error={send.error} />
      <Text size="sm" c="dimmed">
        {t(sendsEmail ? "email.words" : "email.wordsNoEmail")}
      </Text>
    </DialogForm>
  );
}
