import { Alert, Button, Stack, Text } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call, callAuth } from "../../api/client.ts";
import { queryClient, useChange } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { PasswordlessSignIn } from "./passwordless.tsx";
import type { ReceivedInvitation } from "./received-invitation.ts";
import { askSession } from "./session.ts";
import { SignInForm } from "./sign-in-form.tsx";
import { SignUpForm } from "./sign-up-form.tsx";

interface InvitationAnswerProps {
  readonly token: string;
  readonly invitation: ReceivedInvitation;
}

/** Accepts the invitation, after signing in or signing up with the invited email address. */
export function AcceptInvitation({ token, invitation }: InvitationAnswerProps) {
  const { t } = useTranslation("identity");
  const navigate = useNavigate();
  const { data: session } = useSuspenseQuery(askSession);
  // Everything is forgotten afterwards; the invitation would be a closed one before.
  const accept = useChange("acceptInvitation", { reloads: false });
  const { email, organization_name: organization } = invitation;
  const goIn = async (slug: string) => {
    queryClient.clear();
    await navigate(paths.overview(slug));
  };

  if (session !== null && session.user.email.toLowerCase() === email.toLowerCase()) {
    const join = () =>
      accept.mutate({ params: { token } }, { onSuccess: (joined) => void goIn(joined.slug) });
    return (
      <Stack>
        <ProblemAlert error={accept.error} />
        <Button onClick={join} loading={accept.isPending} data-autofocus>
          {t("invitation.accept")}
        </Button>
        <Text size="sm" c="dimmed" ta="center">
          {t("invitation.signedInAs", { email })}
        </Text>
      </Stack>
    );
  }
  if (session !== null) {
    const signOut = async () => {
      await callAuth("signOut");
      await queryClient.resetQueries();
    };
    return (
      <Stack>
        <Alert color="orange" icon={<Icon name="warning" />}>
          {t("invitation.otherEmail", { email, mine: session.user.email })}
        </Alert>
        <Button onClick={signOut}>{t("invitation.signOut")}</Button>
        <Button
          component={Link}
          to="/"
          variant="subtle"
          // An email address can be wider than a phone.
          h="auto"
          py="xs"
          styles={{ label: { whiteSpace: "normal" } }}
        >
          {t("invitation.stay", { mine: session.user.email })}
        </Button>
      </Stack>
    );
  }
  if (invitation.has_account) {
    const next = `/invitations/${encodeURIComponent(token)}`;
    return (
      <Stack gap="sm">
        <Text>{t("invitation.signIn", { email })}</Text>
        <SignInForm next={next} fixedEmail={email} />
        <PasswordlessSignIn next={next} />
      </Stack>
    );
  }
  return (
    <Stack gap="sm">
      <Text>{t("invitation.signUp", { email })}</Text>
      <SignUpForm
        action={t("invitation.join", { organization })}
        invitation={{ email, token }}
        onDone={async (account) => {
          await callAuth("signIn", account);
          const joined = await call("acceptInvitation", { params: { token } });
          await goIn(joined.slug);
        }}
      />
    </Stack>
  );
}
