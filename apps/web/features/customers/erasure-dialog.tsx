import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { notify } from "../../ui/notify.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { ProofFields, useProof } from "../account/proof.tsx";
import classes from "./customer-page.module.css";

interface ErasureDialogProps {
  readonly customer: { readonly id: string; readonly name: string };
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onDone: () => unknown;
}

/** Says what erasing a customer deletes, in numbers, and requires proof of identity. */
export function ErasureDialog({ opened, onClose, ...form }: ErasureDialogProps) {
  const { t } = useTranslation("customers");
  return (
    <Dialog opened={opened} onClose={onClose} title={t("erase.title")}>
      {opened && <ErasureForm {...form} onClose={onClose} />}
    </Dialog>
  );
}

const kinds = ["licenses", "ip_addresses", "events", "transfers", "ip_blocks"] as const;

function ErasureForm({ customer, onClose, onDone }: Omit<ErasureDialogProps, "opened">) {
  const { t, i18n } = useTranslation("customers");
  const { id: organizationId } = useOrganization();
  const params = { organization_id: organizationId, customer_id: customer.id };
  const counts = useQuery({ ...ask("getCustomerErasure", { params }), gcTime: 0, staleTime: 0 });
  const erase = useChange("eraseCustomer");
  const proof = useProof();
  const form = useForm({
    // Retyping a password is quicker than answering a question about it, so it is not guarded.
    start: {},
    send: async () => {
      const body = await proof.prove();
      if (body === null || counts.data === undefined) return;
      try {
        await erase.mutateAsync({ params, body: { licenses: counts.data.licenses, ...body } });
      } catch (error) {
        // The numbers may have changed.
        await counts.refetch();
        throw error;
      }
      notify(t("erase.done"));
      onClose();
      await onDone();
    },
  });
  return (
    <DialogForm
      {...form.props}
      action={t("erase.do", { count: counts.data?.licenses ?? 0 })}
      isDisabled={counts.data === undefined}
      isRemoval
    >
      <Text>{t("erase.lead", { name: customer.name })}</Text>
      {counts.data === undefined ? (
        counts.error === null && <Skeleton height={120} />
      ) : (
        <dl className={classes.facts}>
          {kinds.map((kind) => (
            <div key={kind}>
              <dt>{t(`erase.counts.${kind}`)}</dt>
              <dd className="figures">{counts.data[kind].toLocaleString(i18n.language)}</dd>
            </div>
          ))}
        </dl>
      )}
      <Text size="sm">{t("erase.also")}</Text>
      <ProblemAlert error={counts.error} />
      <FormProblem form={form} beside={["password", "code"]} />
      <ProofFields proof={proof} error={form.error} description={t("erase.proof")} isFirst />
    </DialogForm>
  );
}
