import { Alert, Badge, Button, PasswordInput, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { ask, reloadAccount } from "../../api/queries.ts";
import { useMe } from "../../session/current-organization.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/section.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { NewPassword } from "../identity/new-password.tsx";
import { PasskeysPanel } from "./passkeys-panel.tsx";
import { ConfirmIdentity, type ProofBody } from "./proof.tsx";
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
  const form = useForm({
    start: { currentPassword: "", newPassword: "" },
    send: async (passwords) => {
      await callAuth("changePassword", passwords);
      notify(t("password.done"));
      onClose();
      await reloadAccount();
    },
  });
  return (
    <DialogForm {...form.props} action={t("password.open")}>
      <FormProblem form={form} />
      {/* Tells password managers which account this is. */}
      <input type="text" autoComplete="username" value={me.email} readOnly hidden />
      <PasswordInput
        {...form.field("currentPassword")}
        label={t("password.current")}
        required
        data-autofocus
        autoComplete="current-password"
        onChange={(event) => form.set({ currentPassword: event.currentTarget.value })}
      />
      <NewPassword {...form.field("newPassword")} label={t("password.new")} about={[me.name, me.email]} />
      <Dimmed>{t("password.words")}</Dimmed>
    </DialogForm>
  );
}

const securityRoute = getRouteApi("/signed-in/account/account-layout/security");

/** Shown only if Discord is configured, or the account is already linked. */
function DiscordPanel() {
  const { t } = useTranslation("account");
  const { discord } = useMe().sign_in_methods;
  const { error } = securityRoute.useSearch();
  const setup = useQuery(ask("getSetup"));
  const [isLinking, setLinking] = useState(false);
  const unlinking = useConfirm(() => ({
    title: t("discord.title"),
    children: t("discord.words"),
    action: t("discord.unlink"),
    onConfirm: async () => {
      await callAuth("unlinkAccount", { accountId: discord?.account_id ?? "" });
      await reloadAccount();
      notify(t("discord.done"));
    },
  }));
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
          <Button variant="light" color="red" onClick={() => unlinking.ask()}>
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
          <Badge size="md" mr="xs">
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
      {unlinking.dialog}
    </Panel>
  );
}

function reasonOf(error: string): "access_denied" | "taken" | "other" {
  if (error === "access_denied") return error;
  return error === "account_already_linked_to_different_user" ? "taken" : "other";
}
