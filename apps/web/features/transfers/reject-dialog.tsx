import { Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { notify } from "../../ui/notify.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { useHolderName } from "./holder.tsx";
import { isConflict } from "./refused.ts";
import type { Transfer } from "./transfer.ts";

interface RejectDialogProps {
  readonly transfer: Transfer;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Something has changed since the page was loaded. */
  readonly onRefused: (problem: Error) => void;
}

/** Rejects a transfer with a reason, which the customer sees. */
export function RejectDialog(props: RejectDialogProps) {
  const { t } = useTranslation("transfers");
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t("reject.title")}>
      {props.opened && <RejectForm {...props} />}
    </Dialog>
  );
}

function RejectForm({ transfer, onClose, onRefused }: RejectDialogProps) {
  const { t } = useTranslation("transfers");
  const name = useHolderName()(transfer.from);
  const reject = useChange("rejectTransfer");
  const [reason, setReason] = useState("");
  const submit = async () => {
    try {
      await reject.mutateAsync({ params: { transfer_id: transfer.id }, body: { reason } });
    } catch (problem) {
      if (isConflict(problem)) onRefused(problem);
      return;
    }
    notify(t("reject.done"));
    onClose();
  };
  return (
    <DialogForm
      onSubmit={submit}
      typed={reason}
      error={reject.error}
      isBusy={reject.isPending}
      isDisabled={reason.trim() === ""}
      isRemoval
      action={t("reject.do")}
    >
      <Text c="dimmed" size="sm">
        {t("reject.words", { name })}
      </Text>
      <ProblemAlert error={reject.error} beside={["reason"]} />
      <Textarea
        label={t("reject.reason")}
        description={t("reject.reasonHint")}
        required
        autosize
        minRows={3}
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={fieldError(reject.error, "reason")}
        data-autofocus
      />
    </DialogForm>
  );
}
