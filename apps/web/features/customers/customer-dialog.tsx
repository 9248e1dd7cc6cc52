import { Alert, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Item } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { ask, useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { ChangedMeanwhile } from "../../ui/changed-meanwhile.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";

type Customer = Item<"listCustomers">;

interface CustomerDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Called with the resulting customer: another email address can lead to another customer. */
  readonly onDone: (customer: Customer) => void;
  /** The customer to edit; without it, a new one is created. */
  readonly customer?: Customer;
}

export function CustomerDialog(props: CustomerDialogProps) {
  const { t } = useTranslation("customers");
  const title = t(props.customer === undefined ? "new" : "form.edit");
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={title}>
      {props.opened && <CustomerForm {...props} />}
    </Dialog>
  );
}

const fields = ["email", "name", "discord_id"] as const;
type Field = (typeof fields)[number];
type Texts = Readonly<Record<Field, string>>;

function CustomerForm({ customer, onClose, onDone }: CustomerDialogProps) {
  const { t } = useTranslation("customers");
  const { id: organizationId } = useOrganization();
  const queries = useQueryClient();
  const create = useChange("createCustomer");
  const update = useChange("updateCustomer");
  const [base, setBase] = useState(customer);
  const [texts, setTexts] = useState(textsOf(customer));
  const [isLoaded, setLoaded] = useState(false);
  const error = create.error ?? update.error;
  const isOld = error instanceof ApiProblem && error.code === "changed_meanwhile";
  const submit = async () => {
    try {
      const done = base === undefined ? await make() : await change(base);
      notify(t(base === undefined ? "done.added" : "done.saved"));
      onClose();
      onDone(done);
    } catch {}
  };
  const make = () => create.mutateAsync({ params: { organization_id: organizationId }, body: bodyOf(texts) });
  const change = ({ id, updated_at }: Customer) =>
    update.mutateAsync({
      params: { organization_id: organizationId, customer_id: id },
      body: { ...bodyOf(texts), updated_at },
    });
  const reload = async () => {
    if (base === undefined) return;
    const params = { organization_id: organizationId, customer_id: base.id };
    const now = await call("getCustomer", { params });
    queries.setQueryData(ask("getCustomer", { params }).queryKey, now);
    const [was, is] = [textsOf(base), textsOf(now)];
    setTexts((typed) => merged(was, typed, is));
    setBase(now);
    setLoaded(true);
    update.reset();
  };
  const movesLicenses = base !== undefined && base.license_count > 0 && isSomebodyElse(base, texts);
  const field = (name: Field, rest: object = {}) => (
    <TextInput
      label={t(`form.${name}`)}
      value={texts[name]}
      onChange={(event) => {
        const { value } = event.currentTarget;
        setTexts((before) => ({ ...before, [name]: value }));
      }}
      error={fieldError(error, name)}
      {...rest}
    />
  );
  return (
    <DialogForm
      onSubmit={submit}
      noValidate
      typed={texts}
      base={textsOf(base)}
      error={error}
      isBusy={create.isPending || update.isPending}
      action={t(base === undefined ? "form.add" : "everywhere:save")}
    >
      {customer === undefined && (
        <Text c="dimmed" size="sm">
          {t("form.lead")}
        </Text>
      )}
      {isOld ? <ChangedMeanwhile onReload={reload} /> : <ProblemAlert error={error} beside={fields} />}
      {isLoaded && <Alert icon={<Icon name="info" />}>{t("everywhere:changedMeanwhile.loaded")}</Alert>}
      {field("email", { type: "email", "data-autofocus": true, autoComplete: "off" })}
      {field("name", { autoComplete: "off" })}
      {field("discord_id", {
        inputMode: "numeric",
        description: t("form.discordHelp"),
        autoComplete: "off",
      })}
      {movesLicenses && (
        <Alert color="orange" icon={<Icon name="info" />}>
          {t("form.otherCustomer", { count: base.license_count })}
        </Alert>
      )}
    </DialogForm>
  );
}

function textsOf(customer: Customer | undefined): Texts {
  return {
    email: customer?.email ?? "",
    name: customer?.name ?? "",
    discord_id: customer?.discord_id ?? "",
  };
}

function bodyOf(texts: Texts) {
  const { email, name, discord_id } = texts;
  const kept = (text: string) => (text.trim() === "" ? null : text.trim());
  return { email: kept(email), name: kept(name), discord_id: kept(discord_id) };
}

/** Keeps edited fields; other fields take the current values. */
function merged(was: Texts, typed: Texts, is: Texts): Texts {
  const pick = (field: Field) => (typed[field] === was[field] ? is[field] : typed[field]);
  return { email: pick("email"), name: pick("name"), discord_id: pick("discord_id") };
}

/** The email address identifies the customer; without one, the Discord ID does. */
function isSomebodyElse(customer: Customer, texts: Texts): boolean {
  const identity = (email: string, discordId: string) =>
    email.trim() === "" ? `discord ${discordId.trim()}` : email.trim().toLowerCase();
  return (
    identity(customer.email ?? "", customer.discord_id ?? "") !== identity(texts.email, texts.discord_id)
  );
}
