import { Alert, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { NoEmail } from "../../app/no-email.tsx";
import type { Language } from "../../i18n/languages.ts";
import { changeLanguage } from "../../i18n/start.ts";
import { type Organization, useMe, useOrganizations } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { TextField } from "../../ui/fields.tsx";
import { SaveForm } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoLink } from "../../ui/links.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/section.tsx";
import { LanguageSelect } from "../../ui/select-field.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { LeaveDialog } from "../members/leave-dialog.tsx";
import classes from "./account.module.css";
import { ProofFields, useProof } from "./proof.tsx";

export function ProfilePage() {
  const { t } = useTranslation("account");
  return (
    <Page narrow title={t("profile.title")} lead={t("profile.lead")}>
      <NamePanel />
      <EmailPanel />
      <LanguagePanel />
      <OrganizationsPanel />
    </Page>
  );
}

function NamePanel() {
  const { t } = useTranslation("account");
  const me = useMe();
  const save = useChange("updateMe");
  const form = useForm({
    start: { name: me.name },
    send: async (body) => {
      await save.mutateAsync({ body });
      notify(t("saved"));
    },
  });
  return (
    <Panel title={t("name.title")}>
      <SaveForm {...form.props}>
        <TextField
          {...form.field("name")}
          label={t("name.label")}
          description={t("name.words")}
          required
          maxLength={100}
          autoComplete="name"
        />
        <FormProblem form={form} />
      </SaveForm>
    </Panel>
  );
}

/** Both take effect immediately. */
function LanguagePanel() {
  const { t, i18n } = useTranslation("account");
  const me = useMe();
  const save = useChange("updateMe");
  const setEmailLanguage = (locale: Language) =>
    save.mutate({ body: { locale } }, { onSuccess: () => notify(t("saved")), onError: notifyProblem });
  return (
    <Panel title={t("language.title")}>
      <Stack>
        <LanguageSelect
          label={t("language.page")}
          description={t("language.pageWords")}
          value={i18n.language}
          onChange={(language) => void changeLanguage(language)}
        />
        <LanguageSelect
          label={t("language.emails")}
          description={t("language.emailsWords")}
          value={save.isPending ? (save.variables?.body?.locale ?? me.locale) : me.locale}
          onChange={setEmailLanguage}
        />
      </Stack>
    </Panel>
  );
}

/** A new email address takes effect after it is confirmed. */
function EmailPanel() {
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
        <Badge size="md" color={me.email_verified ? "verdigris" : "orange"}>
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
  const proof = useProof();
  const form = useForm({
    start: { new_email: "" },
    send: async (body) => {
      const proven = await proof.prove();
      if (proven === null) return;
      const answer = await change.mutateAsync({ body: { ...body, ...proven } });
      onSent(answer.new_email);
    },
  });
  return (
    <DialogForm {...form.props} action={t(sendsEmail ? "email.do" : "email.doNoEmail")}>
      <FormProblem form={form} beside={["password", "code"]} />
      <TextField
        {...form.field("new_email")}
        label={t("email.new")}
        type="email"
        required
        data-autofocus
        autoComplete="email"
      />
      <ProofFields proof={proof} error={form.error} />
      <Dimmed>{t(sendsEmail ? "email.words" : "email.wordsNoEmail")}</Dimmed>
    </DialogForm>
  );
}

/** The user's organizations. Everyone can leave here, even if their role does not include the members page. */
function OrganizationsPanel() {
  const { t } = useTranslation("account");
  const organizations = useOrganizations();
  const [leaving, setLeaving] = useState<Organization | null>(null);
  return (
    <Panel title={t("organizations.title")} lead={t("organizations.lead")}>
      {organizations.length === 0 && (
        <Text>
          {t("organizations.none")}{" "}
          <GoLink to={paths.newOrganization()} underline="always" inherit>
            {t("organizations.create")}
          </GoLink>
        </Text>
      )}
      <div>
        {organizations.map((organization) => (
          <div key={organization.id} className={classes.line}>
            <Icon name="organization" />
            <div className={classes.words}>
              <GoLink to={paths.overview(organization.slug)} fw={600}>
                {organization.name}
              </GoLink>
            </div>
            {organization.is_owner ? (
              <Badge size="md">{t("organizations.owner")}</Badge>
            ) : (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t("organizations.leaveOne", { name: organization.name })}
                onClick={() => setLeaving(organization)}
              >
                {t("organizations.leave")}
              </Button>
            )}
          </div>
        ))}
      </div>
      <LeaveDialog organization={leaving} onClose={() => setLeaving(null)} />
    </Panel>
  );
}
