import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";

interface ViewNameDialogProps {
  readonly opened: boolean;
  /** What it is called so far; empty for a new one. */
  readonly before: string;
  readonly onSave: (name: string) => void;
  readonly onClose: () => void;
}

/** Asks for the name of a view. */
export function ViewNameDialog(props: ViewNameDialogProps) {
  const { t } = useTranslation("licenses");
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={t(props.before === "" ? "views.save" : "views.rename")}
      closeButtonProps={{ "aria-label": t("everywhere:close") }}
    >
      {props.opened && <NameForm {...props} />}
    </Modal>
  );
}

function NameForm({ before, onSave, onClose }: ViewNameDialogProps) {
  const { t } = useTranslation("licenses");
  const [name, setName] = useState(before);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== "") onSave(name.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t("views.name")}
          description={t("views.nameHint")}
          value={name}
          maxLength={40}
          required
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t("everywhere:cancel")}
          </Button>
          <Button type="submit" disabled={name.trim() === ""}>
            {t("everywhere:save")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
