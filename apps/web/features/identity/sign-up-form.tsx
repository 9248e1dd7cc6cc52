import { Button, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { fieldError } from "../../ui/problem-alert.tsx";
import { NewPassword } from "./new-password.tsx";
import { Refusal } from "./refusal.tsx";

interface SignUpFormProps {
  readonly deed: string;
  /** From an invitation, which is for one address. */
  readonly invitation?: { readonly email: string; readonly token: string };
  readonly onDone: (account: { email: string; password: string }) => unknown;
}

export function SignUpForm({ deed, invitation, onDone }: SignUpFormProps) {
  const { t } = useTranslation("identity");
  const [name, setName] = useState("");
  const [email, setEmail] = useState(invitation?.email ?? "");
  const [password, setPassword] = useState("");
  const signUp = useMutation({
    mutationFn: async () => {
      const token = invitation === undefined ? {} : { invitationToken: invitation.token };
      await callAuth("signUp", { name, email, password, ...token });
      await onDone({ email, password });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signUp.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Refusal error={signUp.error} beside={["name", "email", "password"]} />
        <TextInput
          label={t("name")}
          autoComplete="name"
          required
          withAsterisk={false}
          autoFocus
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(signUp.error, "name")}
        />
        <TextInput
          label={t("email")}
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          readOnly={invitation !== undefined}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={fieldError(signUp.error, "email")}
        />
        <NewPassword
          value={password}
          onChange={setPassword}
          about={[name, email]}
          error={fieldError(signUp.error, "password")}
        />
        <Button type="submit" loading={signUp.isPending}>
          {deed}
        </Button>
      </Stack>
    </form>
  );
}
