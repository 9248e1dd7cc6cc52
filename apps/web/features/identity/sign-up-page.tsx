import { Anchor, Button } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { AuthCard } from "./auth-card.tsx";
import { Resend } from "./resend.tsx";
import { SignUpForm } from "./sign-up-form.tsx";

/** Available only if sign-up is open. Invitations have their own page. */
export function SignUpPage() {
  const { t } = useTranslation("identity");
  const { data: setup } = useSuspenseQuery(ask("getSetup"));
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (setup.sign_up !== "open") {
    return (
      <AuthCard title={t("signUp.title")} lead={t("signUp.closed")}>
        <Button component={Link} to="/sign-in" variant="default" fullWidth>
          {t("toSignIn")}
        </Button>
      </AuthCard>
    );
  }
  if (sentTo !== null && !setup.email)
    return (
      <AuthCard title={t("verify.noEmailTitle")} lead={t("verify.noEmail", { email: sentTo })}>
        <Button component={Link} to="/sign-in" variant="default" fullWidth>
          {t("toSignIn")}
        </Button>
      </AuthCard>
    );
  if (sentTo !== null) {
    return (
      <AuthCard title={t("verify.title")} lead={t("verify.lead", { email: sentTo })} foot={<ToSignIn />}>
        <Resend email={sentTo} lead={t("verify.nothing")} />
      </AuthCard>
    );
  }
  return (
    <AuthCard title={t("signUp.title")} foot={<ToSignIn />}>
      <SignUpForm action={t("signUp.do")} onDone={({ email }) => setSentTo(email)} />
    </AuthCard>
  );
}

function ToSignIn() {
  const { t } = useTranslation("identity");
  return (
    <>
      {t("signUp.hasAccount")}{" "}
      <Anchor component={Link} to="/sign-in" inherit underline="always">
        {t("signIn.do")}
      </Anchor>
    </>
  );
}
