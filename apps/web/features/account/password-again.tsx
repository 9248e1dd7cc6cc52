import { Modal, PasswordInput, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../app/here.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";

interface PasswordAgainProps {
  readonly opened: boolean;
  readonly title: string;
  readonly words: string;
  readonly deed: string;
  readonly onClose: () => void;
  /** What to do with it: a body that holds the password, where the account has one. */
  readonly run: (body: { password?: string }) => Promise<unknown>;
}

/** Asks for the password before the account can be opened in another way. */
export function PasswordAgain({ opened, title, onClose, ...form }: PasswordAgainProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      {opened && <Form {...form} onClose={onClose} />}
    </Modal>
  );
}

function Form({ words, deed, onClose, run }: Omit<PasswordAgainProps, "opened" | "title">) {
  const { t } = useTranslation("account");
  const hasPassword = useMe().sign_in_methods.password;
  const [password, setPassword] = useState("");
  const send = useMutation({ mutationFn: () => run(hasPassword ? { password } : {}), onSuccess: onClose });
  return (
    <DialogForm onSubmit={send.mutate} isBusy={send.isPending} deed={deed} onClose={onClose}>
      <Text>{words}</Text>
      <ProblemAlert error={send.error} beside={["password"]} />
      {hasPassword && (
        <PasswordInput
          label={t("password.yours")}
          required
          data-autofocus
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fieldError(send.error, "password")}
        />
      )}
    </DialogForm>
  );
}
