import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useChange } from "../../api/queries.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { AreaField } from "../../ui/fields.tsx";
import { notify } from "../../ui/notify.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { effectsOf, type Transfer, useHolderName } from "./transfer.tsx";
import classes from "./transfer-page.module.css";

interface ApproveQuestionProps {
  readonly transfer: Transfer;
  readonly license: Answer<"getLicense"> | null;
  readonly product: Answer<"getProduct"> | null;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Something has changed since the page was loaded. */
  readonly onRefused: (problem: Error) => void;
}

/** Names everything that an approval does. */
export function ApproveQuestion(props: ApproveQuestionProps) {
  const { transfer, license, product, opened, onClose, onRefused } = props;
  const { t } = useTranslation("transfers");
  const nameOf = useHolderName();
  const approve = useChange("approveTransfer");
  const names = { from: nameOf(transfer.from), to: nameOf(transfer.to) };
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t("approve.title")}
      action={t("approve.do")}
      harmless
      onConfirm={async () => {
        try {
          await approve.mutateAsync({ params: { transfer_id: transfer.id } });
          notify(t("approve.done", names));
        } catch (problem) {
          if (!isConflict(problem)) throw problem;
          onRefused(problem);
        }
      }}
    >
      <Stack gap="xs">
        <Text>{t("approve.words", names)}</Text>
        <ul className={classes.effects}>
          {effectsOf(transfer, license, product).map((effect) => (
            <li key={effect.kind}>
              {effect.kind === "ips_removed" && effect.count !== null
                ? t("approve.effect.ips_counted", { ...names, count: effect.count })
                : t(`approve.effect.${effect.kind}`, names)}
            </li>
          ))}
        </ul>
      </Stack>
    </Confirm>
  );
}

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
  const form = useForm({
    start: { reason: "" },
    send: async ({ reason }) => {
      try {
        await reject.mutateAsync({ params: { transfer_id: transfer.id }, body: { reason } });
      } catch (problem) {
        if (isConflict(problem)) onRefused(problem);
        throw problem;
      }
      notify(t("reject.done"));
      onClose();
    },
  });
  return (
    <DialogForm
      {...form.props}
      isDisabled={form.values.reason.trim() === ""}
      isRemoval
      action={t("reject.do")}
    >
      <Dimmed>{t("reject.words", { name })}</Dimmed>
      <FormProblem form={form} />
      <AreaField
        {...form.field("reason")}
        label={t("reject.reason")}
        description={t("reject.reasonHint")}
        required
        minRows={3}
        maxLength={500}
        data-autofocus
      />
    </DialogForm>
  );
}

/** Whether the transfer, its license or its product has changed, so that the decision is not possible now. */
function isConflict(problem: unknown): problem is ApiProblem {
  return problem instanceof ApiProblem && problem.status === 409;
}
