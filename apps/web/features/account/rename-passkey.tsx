import { TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Answer, callAuth } from "../../api/client.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";

export type Passkey = Answer<"getMe">["sign_in_methods"]["passkeys"][number];

interface RenamePasskeyProps {
  readonly passkey: Passkey;
  readonly onDone: () => Promise<void>;
}

export function RenamePasskey({ passkey, onDone }: RenamePasskeyProps) {
  const { t } = useTranslation("account");
  const [name, setName] = useState(passkey.name ?? "");
  const rename = useMutation({
    mutationFn: () => callAuth("renamePasskey", { id: passkey.id, name }),
    onSuccess: onDone,
  });
  return (
    <DialogForm
      onSubmit={() => rename.mutate()}
      typed={name}
      error={rename.error}
      isBusy={rename.isPending}
      action={t("everywhere:save")}
    >
      <ProblemAlert error={rename.error} beside={["name"]} />
      <TextInput
        label={t("passkeys.name")}
        description={t("passkeys.nameWords")}
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fieldError(rename.error, "name")}
      />
    </DialogForm>
  );
}
