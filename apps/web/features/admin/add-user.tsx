import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { notify } from "../../ui/notify.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { PasswordLinkToCopy } from "./password-link.tsx";

/** Adds a user, who then sets their own password. */
export function AddUser({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation("admin");
  const [added, setAdded] = useState<Answer<"createUser"> | null>(null);
  return (
    <>
      <Dialog opened={opened && added === null} onClose={onClose} title={t("addUser.title")}>
        {opened && <AddUserForm onClose={onClose} onLink={setAdded} />}
      </Dialog>
      <PasswordLinkToCopy
        person={added}
        made={added}
        onDone={() => {
          setAdded(null);
          onClose();
        }}
      />
    </>
  );
}

interface AddUserFormProps {
  readonly onClose: () => void;
  readonly onLink: (added: Answer<"createUser">) => void;
}

function AddUserForm({ onClose, onLink }: AddUserFormProps) {
  const { t } = useTranslation("admin");
  const sendsEmail = useSendsEmail();
  const add = useChange("createUser");
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const send = () =>
    add.mutate(
      { body: { email, ...(name.trim() === "" ? {} : { name }) } },
      {
        onSuccess: (added) => {
          if (added.password_link !== null) return onLink(added);
          notify(t("addUser.done", { email }));
          onClose();
        },
      },
    );
  return (
    <DialogForm
      onSubmit={send}
      typed={[email, name]}
      error={add.error}
      isBusy={add.isPending}
      action={t("addUser.do")}
    >
      <ProblemAlert error={add.error} beside={["email", "name"]} />
      <TextInput
        label={t("addUser.email")}
        type="email"
        required
        data-autofocus
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={fieldError(add.error, "email")}
      />
      <TextInput
        label={t("addUser.name")}
        autoComplete="off"
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fieldError(add.error, "name")}
      />
      <Text size="sm" c="dimmed">
        {t(sendsEmail ? "addUser.words" : "addUser.wordsNoEmail")}
      </Text>
    </DialogForm>
  );
}
