import { Anchor, Button } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { OutsideCard } from "./outside-card.tsx";
import { SendAgain } from "./send-again.tsx";
import { SignUpForm } from "./sign-up-form.tsx";

/** Available only if sign-up is open. Invitations have their own page. */
export function SignUpPage() {
  const { t } = useTranslation("identity");
  const { data: setup } = useSuspenseQuery(ask("getSetup"));
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (setup.sign_up !== "open") {
    return (
      <OutsideCard title={t("signUp.title")} lead={t("signUp.closed")}>
        <Button component={Link} to="/sign-in" variant="default" fullWidth>
          {t("toSignIn")}
        </Button>
      </OutsideCard>
    );
  }
  if (sentTo !== null && !setup.email)
    return (
      <OutsideCard title={t("verify.noEmailTitle")} lead={t("verify.noEmail", { email: sentTo })}>
        <Button component={Link} to="/sign-in" variant="default" fullWidth>
          {t("toSignIn")}
        </Button>
      </OutsideCard>
    );
  if (sentTo !== null) {
    return (
      <OutsideCard title={t("verify.title")} lead={t("verify.lead", { email: sentTo })} foot={<ToSignIn />}>
        <SendAgain email={sentTo} lead={t("verify.nothing")} />
      </OutsideCard>
    );
  }
  return (
    <OutsideCard title={t("signUp.title")} foot={<ToSignIn />}>
      <SignUpForm action={t("signUp.do")} onDone={({ email }) => setSentTo(email)} />
    </OutsideCard>
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
