import { Autocomplete, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../../api/queries.ts";
import { useMay, useOrganization } from "../../../session/current-organization.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { notify } from "../../../ui/notify.tsx";
import { fieldError, ProblemAlert } from "../../../ui/problem-alert.tsx";
import type { License } from "./license.ts";

interface TransferDialogProps {
  readonly license: License;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Transfers a license to another customer, who is found or created by email. */
export function TransferDialog(props: TransferDialogProps) {
  const { t } = useTranslation("licenses");
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t("transfer.title")}>
      {props.opened && <TransferForm {...props} />}
    </Dialog>
  );
}

function TransferForm({ license, onClose }: TransferDialogProps) {
  const { t } = useTranslation("licenses");
  const update = useChange("updateLicense");
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const known = useKnown(email);
  const isKnown = known.some((one) => one.email?.toLowerCase() === email.trim().toLowerCase());
  const { customer_email: oldEmail, customer_name: oldName, customer_discord_id: oldDiscordId } = license;
  const submit = async () => {
    const params = { license_id: license.id };
    try {
      await update.mutateAsync({
        params,
        body: {
          customer_email: email,
          ...(name.trim() === "" || isKnown ? {} : { customer_name: name }),
          updated_at: license.updated_at,
        },
      });
    } catch {
      return;
    }
    const back = {
      customer_email: oldEmail,
      ...(oldName === null ? {} : { customer_name: oldName }),
      ...(oldDiscordId === null ? {} : { customer_discord_id: oldDiscordId }),
    };
    notify(t("done.transferred", { email }), () => update.mutateAsync({ params, body: back }));
    onClose();
  };
  return (
    <DialogForm
      onSubmit={submit}
      typed={[email, name]}
      error={update.error}
      isBusy={update.isPending}
      action={t("transfer.do")}
    >
      <Text c="dimmed" size="sm">
        {t("transfer.words", {
          who:
            oldName ??
            oldEmail ??
            (oldDiscordId === null ? t("noCustomer") : t("discordId", { id: oldDiscordId })),
        })}
      </Text>
      <ProblemAlert error={update.error} beside={["customer_email", "customer_name"]} />
      <Autocomplete
        label={t("transfer.email")}
        type="email"
        required
        autoComplete="off"
        data={[...new Set(known.flatMap((one) => one.email ?? []))].filter((one) => one !== oldEmail)}
        // An open list would cover the rest of the dialog.
        openOnFocus={false}
        filter={({ options }) => options}
        value={email}
        onChange={setEmail}
        error={fieldError(update.error, "customer_email")}
        data-autofocus
      />
      {!isKnown && (
        <TextInput
          label={t("transfer.name")}
          description={t("transfer.nameHelp")}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(update.error, "customer_name")}
        />
      )}
    </DialogForm>
  );
}

/** Customers whose email or name matches; empty without permission. */
function useKnown(text: string) {
  const may = useMay();
  const { id: organizationId } = useOrganization();
  const [settled] = useDebouncedValue(text.trim(), 200);
  const found = useQuery({
    ...ask("listCustomers", {
      params: { organization_id: organizationId },
      query: settled === "" ? { limit: 6 } : { search: settled, limit: 6 },
    }),
    enabled: may("customers:view", "customers:manage"),
  });
  return found.data?.data ?? [];
}
