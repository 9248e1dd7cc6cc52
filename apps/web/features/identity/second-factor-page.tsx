import { Anchor, Button, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { paths } from "../../session/paths.ts";
import { Form } from "../../ui/form.tsx";
import { GoLink } from "../../ui/links.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { AuthCard } from "./auth-card.tsx";
import { useEnter } from "./session.ts";

const secondFactorRoute = getRouteApi("/auth-layout/sign-in/second-factor");

const digits = 6;

/** After the password or Discord: a code from the app, or a recovery code. */
export function SecondFactorPage() {
  const { t } = useTranslation("identity");
  const { next } = secondFactorRoute.useSearch();
  const enter = useEnter();
  const [isRecovery, setRecovery] = useState(false);
  const [code, setCode] = useState("");
  const verify = useMutation({
    mutationFn: (given: string) =>
      callAuth(isRecovery ? "verifyRecoveryCode" : "verifyTotp", { code: given }),
    onSuccess: () => enter(next),
    onError: () => isRecovery || setCode(""),
  });
  const type = (text: string) => {
    if (isRecovery) return setCode(text);
    const typed = text.replace(/\D/g, "").slice(0, digits);
    setCode(typed);
    if (typed.length === digits && typed !== code && !verify.isPending) verify.mutate(typed);
  };
  const change = () => {
    setRecovery(!isRecovery);
    setCode("");
    verify.reset();
  };
  const isOver =
    verify.error instanceof ApiProblem &&
    ["second_factor_expired", "too_many_wrong_codes"].includes(verify.error.code);
  return (
    <AuthCard
      title={t("secondFactor.title")}
      lead={t(isRecovery ? "secondFactor.recoveryLead" : "secondFactor.lead")}
      foot={
        <GoLink to={paths.signIn({ next })} inherit>
          {t("secondFactor.startOver")}
        </GoLink>
      }
    >
      {/* Not guarded: a code is valid for seconds, or stored elsewhere. */}
      <Form onSubmit={() => verify.mutate(code.trim())} typed={null} error={verify.error}>
        <Stack>
          <ProblemAlert error={verify.error} />
          <TextInput
            key={String(isRecovery)}
            label={t(isRecovery ? "secondFactor.recoveryCode" : "secondFactor.code")}
            required
            withAsterisk={false}
            autoFocus
            autoComplete={isRecovery ? "off" : "one-time-code"}
            inputMode={isRecovery ? "text" : "numeric"}
            value={code}
            onChange={(event) => type(event.currentTarget.value)}
            size="md"
            classNames={{ input: "mono" }}
          />
          <Button type="submit" loading={verify.isPending} disabled={isOver}>
            {t("secondFactor.do")}
          </Button>
          <Anchor component="button" type="button" size="sm" onClick={change}>
            {t(isRecovery ? "secondFactor.useCode" : "secondFactor.useRecovery")}
          </Anchor>
        </Stack>
      </Form>
    </AuthCard>
  );
}
