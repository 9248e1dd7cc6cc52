import { Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Dialog } from "../../ui/dialog.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { type ProofBody, ProofFields, useProof } from "./proof.tsx";

interface PasswordAgainProps {
  readonly opened: boolean;
  readonly title: string;
  readonly words: string;
  readonly action: string;
  readonly isRemoval?: boolean;
  readonly isForSecondFactor?: boolean;
  readonly onClose: () => void;
  /** Receives the proof, for the body of the request. */
  readonly run: (proof: ProofBody) => Promise<unknown>;
}

/** Asks for the password, a passkey or a code before a sign-in method is added or removed. */
export function ConfirmIdentity({ opened, title, onClose, ...form }: PasswordAgainProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      {opened && <Form {...form} onClose={onClose} />}
    </Dialog>
  );
}

function Form({
  words,
  action,
  isRemoval = false,
  isForSecondFactor = false,
  onClose,
  run,
}: Omit<PasswordAgainProps, "opened" | "title">) {
  const proof = useProof(isForSecondFactor);
  const send = useMutation({
    mutationFn: async () => {
      const body = await proof.prove();
      if (body !== null) await run(body);
      return body !== null;
    },
    onSuccess: (isDone) => {
      if (isDone) onClose();
    },
  });
  return (
    <DialogForm
      onSubmit={send.mutate}
      // Retyping a password is quicker than answering a question about it.
      typed={null}
      error={send.error}
      isBusy={send.isPending}
      action={action}
      isRemoval={isRemoval}
    >
      <Text>{words}</Text>
      <ProblemAlert error={send.error} beside={["password", "code"]} />
      <ProofFields proof={proof} error={send.error} isFirst />
    </DialogForm>
  );
}
