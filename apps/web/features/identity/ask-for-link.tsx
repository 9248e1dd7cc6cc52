import { Anchor, Button, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { fieldError } from "../../ui/problem-alert.tsx";
import { OutsideCard } from "./outside-card.tsx";
import { Refusal } from "./refusal.tsx";

interface AskForLinkProps {
  readonly title: string;
  readonly lead: string;
}

/** The answer is the same whether the address has an account, so what is shown is too. */
export function AskForLink({ title, lead }: AskForLinkProps) {
  const { t } = useTranslation("identity");
  const [email, setEmail] = useState("");
  const request = useMutation({ mutationFn: () => callAuth("requestPasswordReset", { email }) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    request.mutate();
  };
  const foot = (
    <Anchor component={Link} to="/sign-in" inherit>
      {t("toSignIn")}
    </Anchor>
  );
  if (request.isSuccess) {
    return (
      <OutsideCard title={t("forgot.sentTitle")} lead={t("forgot.sent", { email })} foot={foot}>
        <Button variant="default" fullWidth onClick={() => request.reset()}>
          {t("forgot.again")}
        </Button>
      </OutsideCard>
    );
  }
  return (
    <OutsideCard title={title} lead={lead} foot={foot}>
      <form onSubmit={submit}>
        <Stack>
          <Refusal error={request.error} beside={["email"]} />
          <TextInput
            label={t("email")}
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={fieldError(request.error, "email")}
          />
          <Button type="submit" loading={request.isPending}>
            {t("forgot.do")}
          </Button>
        </Stack>
      </form>
    </OutsideCard>
  );
}
