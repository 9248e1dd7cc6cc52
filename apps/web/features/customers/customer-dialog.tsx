import { Alert, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Item } from "../../api/client.ts";
import { ask, useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";

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

type Texts = Readonly<Record<"email" | "name" | "discord_id", string>>;

function CustomerForm({ customer, onClose, onDone }: CustomerDialogProps) {
  const { t } = useTranslation("customers");
  const { id: organizationId } = useOrganization();
  const queries = useQueryClient();
  const create = useChange("createCustomer");
  const update = useChange("updateCustomer");
  const [base, setBase] = useState(customer);
  const params = { organization_id: organizationId, customer_id: customer?.id ?? "" };
  const form = useForm({
    start: textsOf(customer),
    send: async (texts) => {
      const body = bodyOf(texts);
      const saved =
        base === undefined
          ? await create.mutateAsync({ params: { organization_id: organizationId }, body })
          : await update.mutateAsync({ params, body: { ...body, updated_at: base.updated_at } });
      notify(t(base === undefined ? "done.added" : "done.saved"));
      onClose();
      onDone(saved);
    },
    reload: async () => {
      const now = await call("getCustomer", { params });
      queries.setQueryData(ask("getCustomer", { params }).queryKey, now);
      setBase(now);
      return textsOf(now);
    },
  });
  const movesLicenses = base !== undefined && base.license_count > 0 && isSomebodyElse(base, form.values);
  return (
    <DialogForm {...form.props} noValidate action={t(base === undefined ? "form.add" : "everywhere:save")}>
      {customer === undefined && (
        <Text c="dimmed" size="sm">
          {t("form.lead")}
        </Text>
      )}
      <FormProblem form={form} />
      <TextField
        {...form.field("email")}
        label={t("form.email")}
        type="email"
        autoComplete="off"
        data-autofocus
      />
      <TextField {...form.field("name")} label={t("form.name")} autoComplete="off" />
      <TextField
        {...form.field("discord_id")}
        label={t("form.discord_id")}
        description={t("form.discordHelp")}
        inputMode="numeric"
        autoComplete="off"
      />
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

/** The email address identifies the customer; without one, the Discord ID does. */
function isSomebodyElse(customer: Customer, texts: Texts): boolean {
  const identity = (email: string, discordId: string) =>
    email.trim() === "" ? `discord ${discordId.trim()}` : email.trim().toLowerCase();
  return (
    identity(customer.email ?? "", customer.discord_id ?? "") !== identity(texts.email, texts.discord_id)
  );
}
