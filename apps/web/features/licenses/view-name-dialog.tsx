import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";

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
  const [name, setName] = useState(before);
  const submit = () => {
    if (name.trim() !== "") onSave(name.trim());
  };
  return (
    <DialogForm
      onSubmit={submit}
      typed={name}
      error={null}
      isBusy={false}
      isDisabled={name.trim() === ""}
      action={t("everywhere:save")}
    >
      <TextInput
        label={t("views.name")}
        description={t("views.nameHint")}
        value={name}
        maxLength={40}
        required
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
