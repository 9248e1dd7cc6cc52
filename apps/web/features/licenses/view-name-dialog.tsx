import { useTranslation } from "react-i18next";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/fields.tsx";
import { useForm } from "../../ui/use-form.tsx";

interface ViewNameDialogProps {
  readonly opened: boolean;
  /** The current name; empty for a new view. */
  readonly before: string;
  readonly onSave: (name: string) => void;
  readonly onClose: () => void;
}

export function ViewNameDialog(props: ViewNameDialogProps) {
  const { t } = useTranslation("licenses");
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={t(props.before === "" ? "views.save" : "views.rename")}
      closeButtonProps={{ "aria-label": t("everywhere:close") }}
    >
      {props.opened && <NameForm {...props} />}
    </Dialog>
  );
}

function NameForm({ before, onSave }: ViewNameDialogProps) {
  const { t } = useTranslation("licenses");
  const form = useForm({ start: { name: before }, send: async ({ name }) => onSave(name.trim()) });
  return (
    <DialogForm {...form.props} isDisabled={form.values.name.trim() === ""} action={t("everywhere:save")}>
      <TextField
        {...form.field("name")}
        label={t("views.name")}
        description={t("views.nameHint")}
        maxLength={40}
        required
        data-autofocus
      />
    </DialogForm>
  );
}
