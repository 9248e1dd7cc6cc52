import { Button, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { callAuth } from "../../api/client.ts";
import { Form } from "../../ui/form.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { type AccountDraft, AccountFields, accountFields, noAccount } from "./account-fields.tsx";

interface SignUpFormProps {
  readonly action: string;
  /** From an invitation, which is for one email address. */
  readonly invitation?: { readonly email: string; readonly token: string };
  readonly onDone: (account: Pick<AccountDraft, "email" | "password">) => unknown;
}

export function SignUpForm({ action, invitation, onDone }: SignUpFormProps) {
  const [draft, setDraft] = useState({ ...noAccount, email: invitation?.email ?? "" });
  const signUp = useMutation({
    mutationFn: async () => {
      const token = invitation === undefined ? {} : { invitationToken: invitation.token };
      await callAuth("signUp", { ...draft, ...token });
      await onDone({ email: draft.email, password: draft.password });
    },
  });
  const submit = () => {
    signUp.mutate();
  };
  return (
    <Form onSubmit={submit} typed={null} error={signUp.error}>
      <Stack>
        <ProblemAlert error={signUp.error} beside={accountFields} />
        <AccountFields
          draft={draft}
          onChange={setDraft}
          error={signUp.error}
          isEmailFixed={invitation !== undefined}
        />
        <Button type="submit" loading={signUp.isPending}>
          {action}
        </Button>
      </Stack>
    </Form>
  );
}
