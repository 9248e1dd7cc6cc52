import { Alert, Badge, Button, PasswordInput, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { ask, reloadAccount } from "../../api/queries.ts";
import { useMe } from "../../session/current-organization.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { NewPassword } from "../identity/new-password.tsx";
import { PasskeysPanel } from "./passkeys-panel.tsx";
import type { ProofBody } from "./proof.tsx";
import { ConfirmIdentity } from "./proof.tsx";
import { SecondFactorPanel } from "./second-factor-panel.tsx";

export function SecurityPage() {
  const { t } = useTranslation("account");
  return (
    <Page narrow title={t("security.title")} lead={t("security.lead")}>
      <PasswordPanel />
      <SecondFactorPanel />
      <PasskeysPanel />
      <DiscordPanel />
    </Page>
  );
}

function PasswordPanel() {
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

const securityRoute = getRouteApi("/inside/account/account-layout/security");

/** Shown only if Discord is configured, or the account is already linked. */
function DiscordPanel() {
  const { t } = useTranslation("account");
  const { discord } = useMe().sign_in_methods;
  const { error } = securityRoute.useSearch();
  const setup = useQuery(ask("getSetup"));
  const [isOpen, setOpen] = useState(false);
  const [isLinking, setLinking] = useState(false);
  const link = async (body: ProofBody) => {
    const { url } = await callAuth<{ url: string }>("linkDiscord", {
      provider: "discord",
      callbackURL: "/account/security",
      errorCallbackURL: "/account/security",
      ...body,
    });
    location.assign(url);
  };
  if (discord === null && setup.data?.discord !== true) return null;
  return (
    <Panel
      title="Discord"
      lead={t("discord.lead")}
      actions={
        discord === null ? (
          <Button variant="default" onClick={() => setLinking(true)}>
            {t("discord.link")}
          </Button>
        ) : (
          <Button variant="light" color="red" onClick={() => setOpen(true)}>
            {t("discord.unlink")}
          </Button>
        )
      }
    >
      {error !== undefined && discord === null && (
        <Alert color="red" icon={<Icon name="warning" />} role="alert">
          {t(`discord.errors.${reasonOf(error)}`, { error })}
        </Alert>
      )}
      {discord !== null && (
        <Text>
          <Badge variant="light" mr="xs">
            {t("discord.linked")}
          </Badge>
          <span className="mono">{discord.discord_id}</span>
        </Text>
      )}
      <ConfirmIdentity
        opened={isLinking}
        onClose={() => setLinking(false)}
        title={t("discord.link")}
        words={t("discord.linkWords")}
        action={t("discord.do")}
        run={link}
      />
      <Confirm
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={t("discord.title")}
        action={t("discord.unlink")}
        onConfirm={async () => {
          await callAuth("unlinkAccount", { accountId: discord?.account_id ?? "" });
          await reloadAccount();
          notify(t("discord.done"));
        }}
      >
        {t("discord.words")}
      </Confirm>
    </Panel>
  );
}

function reasonOf(error: string): "access_denied" | "taken" | "other" {
  if (error === "access_denied") return error;
  return error === "account_already_linked_to_different_user" ? "taken" : "other";
}
