import { Button, PasswordInput, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { reloadAccount } from "../../api/queries.ts";
import { useMe } from "../../session/current-organization.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { NewPassword } from "../identity/new-password.tsx";

export function PasswordPanel() {
  const { t } = useTranslation("account");
  const me = useMe();
  const [isOpen, setOpen] = useState(false);
  const hasPassword = me.sign_in_methods.password;
  const sendsEmail = useSendsEmail();
  const ask = useMutation({
    mutationFn: () => callAuth("requestPasswordReset", { email: me.email }),
    onSuccess: () => notify(t("password.emailSent", { email: me.email })),
    onError: notifyProblem,
  });
  return (
    <Panel
      title={t("password.title")}
      lead={t(hasPassword ? "password.lead" : sendsEmail ? "password.none" : "password.noneNoEmail")}
      actions={
        hasPassword ? (
          <Button variant="default" onClick={() => setOpen(true)}>
            {t("password.open")}
          </Button>
        ) : (
          sendsEmail && (
            <Button variant="default" loading={ask.isPending} onClick={() => ask.mutate()}>
              {t("password.ask")}
            </Button>
          )
        )
      }
    >
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t("password.open")}>
        {isOpen && <PasswordForm onClose={() => setOpen(false)} />}
      </Dialog>
    </Panel>
  );
}

function PasswordForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("account");
  const me = useMe();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: () => callAuth("changePassword", { currentPassword: current, newPassword: next }),
    onSuccess: async () => {
      notify(t("password.done"));
      onClose();
      await reloadAccount();
    },
  });
  return (
    <DialogForm
      onSubmit={() => change.mutate()}
      typed={[current, next]}
      error={change.error}
      isBusy={change.isPending}
      action={t("password.open")}
    >
      <ProblemAlert error={change.error} beside={["currentPassword", "newPassword"]} />
      {/* Tells password managers which account this is. */}
      <input type="text" autoComplete="username" value={me.email} readOnly hidden />
      <PasswordInput
        label={t("password.current")}
        required
        data-autofocus
        autoComplete="current-password"
        value={current}
        onChange={(event) => setCurrent(event.currentTarget.value)}
        error={fieldError(change.error, "currentPassword")}
      />
      <NewPassword
        label={t("password.new")}
        value={next}
        onChange={setNext}
        about={[me.name, me.email]}
        error={fieldError(change.error, "newPassword")}
      />
      <Text size="sm" c="dimmed">
        {t("password.words")}
      </Text>
    </DialogForm>
  );
}
