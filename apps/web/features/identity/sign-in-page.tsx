import { Alert, Anchor } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { Icon } from "../../ui/icon.tsx";
import { AuthCard } from "./auth-card.tsx";
import { PasswordlessSignIn } from "./passwordless.tsx";
import { SignInForm } from "./sign-in-form.tsx";

const signInRoute = getRouteApi("/auth-layout/sign-in");

export function SignInPage() {
  const { t } = useTranslation("identity");
  const { next } = signInRoute.useSearch();
  const { data: setup } = useSuspenseQuery(ask("getSetup"));
  return (
    <AuthCard
      title={t("signIn.title")}
      foot={
        setup.sign_up === "open" && (
          <>
            {t("signIn.noAccount")}{" "}
            <Anchor component={Link} to="/sign-up" inherit underline="always">
              {t("signUp.do")}
            </Anchor>
          </>
        )
      }
    >
      <Arrival />
      <SignInForm next={next} />
      <PasswordlessSignIn next={next} />
    </AuthCard>
  );
}

/** A message for users who come from an email or from Discord. */
function Arrival() {
  const { t } = useTranslation("identity");
  const { verified, error } = signInRoute.useSearch();
  const { data: setup } = useSuspenseQuery(ask("getSetup"));
  if (error !== undefined) {
    const known = discordErrors.find((code) => code === error.toLowerCase());
    const words =
      verified === true
        ? t(setup.email ? "verify.bad" : "verify.badNoEmail")
        : t(`discordErrors.${known ?? "other"}`);
    return (
      <Alert color="red" role="alert" icon={<Icon name="warning" />} mb="md">
        {words}
      </Alert>
    );
  }
  if (verified !== true) return null;
  return (
    <Alert color="verdigris" role="status" icon={<Icon name="check" />} mb="md">
      {t("verify.done")}
    </Alert>
  );
}

const discordErrors = [
  "access_denied",
  "account_not_linked",
  "email_not_verified",
  "signup_disabled",
  "state_mismatch",
  "suspended",
] as const;
