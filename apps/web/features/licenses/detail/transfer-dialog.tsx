import { Autocomplete, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../../api/queries.ts";
import { useMay, useOrganization } from "../../../session/current-organization.ts";
import { Dialog, DialogForm } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/fields.tsx";
import { notify } from "../../../ui/notify.tsx";
import { FormProblem, useForm } from "../../../ui/use-form.tsx";
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
  const { customer_email: oldEmail, customer_name: oldName, customer_discord_id: oldDiscordId } = license;
  const form = useForm({
    start: { customer_email: "", customer_name: "" },
    send: async ({ customer_email: email, customer_name: name }) => {
      const params = { license_id: license.id };
      await update.mutateAsync({
        params,
        body: {
          customer_email: email,
          ...(name.trim() === "" || isKnown ? {} : { customer_name: name }),
          updated_at: license.updated_at,
        },
      });
      const back = {
        customer_email: oldEmail,
        ...(oldName === null ? {} : { customer_name: oldName }),
        ...(oldDiscordId === null ? {} : { customer_discord_id: oldDiscordId }),
      };
      notify(t("done.transferred", { email }), () => update.mutateAsync({ params, body: back }));
      onClose();
    },
  });
  const email = form.values.customer_email;
  const known = useKnownCustomers(email);
  const isKnown = known.some((customer) => customer.email?.toLowerCase() === email.trim().toLowerCase());
  return (
    <DialogForm {...form.props} action={t("transfer.do")}>
      <Text c="dimmed" size="sm">
        {t("transfer.words", {
          who:
            oldName ??
            oldEmail ??
            (oldDiscordId === null ? t("noCustomer") : t("discordId", { id: oldDiscordId })),
        })}
      </Text>
      <FormProblem form={form} />
      <Autocomplete
        {...form.field("customer_email")}
        label={t("transfer.email")}
        type="email"
        required
        autoComplete="off"
        data={[...new Set(known.flatMap((customer) => customer.email ?? []))].filter(
          (known) => known !== oldEmail,
        )}
        // An open list would cover the rest of the dialog.
        openOnFocus={false}
        filter={({ options }) => options}
        data-autofocus
      />
      {!isKnown && (
        <TextField
          {...form.field("customer_name")}
          label={t("transfer.name")}
          description={t("transfer.nameHelp")}
          autoComplete="off"
        />
      )}
    </DialogForm>
  );
}

/** Customers whose email or name matches; empty without permission. */
function useKnownCustomers(text: string) {
  const may = useMay();
  const { id: organizationId } = useOrganization();
  const [settled] = useDebouncedValue(text.trim(), 200);
  const customers = useQuery({
    ...ask("listCustomers", {
      params: { organization_id: organizationId },
      query: settled === "" ? { limit: 6 } : { search: settled, limit: 6 },
    }),
    enabled: may("customers:view", "customers:manage"),
  });
  return customers.data?.data ?? [];
}
