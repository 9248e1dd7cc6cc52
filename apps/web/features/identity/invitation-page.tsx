import { Alert, Button, Stack, Text } from "@mantine/core";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Trans, useTranslation } from "react-i18next";
import { type Answer, call, callAuth } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { ask, queryClient, useChange } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { AuthCard } from "./auth-card.tsx";
import { askSession } from "./session.ts";
import { PasswordlessSignIn, SignInForm } from "./sign-in-page.tsx";
import { SignUpForm } from "./sign-up-page.tsx";

const invitationRoute = getRouteApi("/auth-layout/invitations/$token");

/** Actor invites, to which organization and role, and the steps to accept. */
export function InvitationPage() {
  const { t, i18n } = useTranslation("identity");
  const { token } = invitationRoute.useParams();
  const { data: invitation, error } = useQuery(ask("getReceivedInvitation", { params: { token } }));
  const until = (at: string) =>
    new Intl.DateTimeFormat(i18n.language, { dateStyle: "long", timeStyle: "short" }).format(new Date(at));
  if (error !== null) {
    if (error instanceof ApiProblem && error.status === 404) return <ClosedInvitation invitation={null} />;
    return (
      <AuthCard title={t("invitation.badTitle")}>
        <ProblemAlert error={error} />
      </AuthCard>
    );
  }
  if (invitation === undefined) return null;
  if (invitation.state !== "pending") return <ClosedInvitation invitation={invitation} />;
  const { organization_name: organization, role_name: role, invited_by: by } = invitation;
  return (
    <AuthCard
      title={t("invitation.title", { organization })}
      lead={
        <Trans
          t={t}
          i18nKey={by === null ? "invitation.invited" : "invitation.invitedBy"}
          values={{ by, role, organization }}
          components={{ b: <strong /> }}
        />
      }
      foot={t("invitation.until", { when: until(invitation.expires_at) })}
    >
      <AcceptInvitation token={token} invitation={invitation} />
    </AuthCard>
  );
}

interface InvitationAnswerProps {
  readonly token: string;
  readonly invitation: ReceivedInvitation;
}

/** Accepts the invitation, after signing in or signing up with the invited email address. */
function AcceptInvitation({ token, invitation }: InvitationAnswerProps) {
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
        <Dimmed ta="center">{t("invitation.signedInAs", { email })}</Dimmed>
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

/** Why an invitation link no longer works, and what to do. Null for an unknown link. */
function ClosedInvitation({ invitation }: { invitation: ReceivedInvitation | null }) {
  const { t } = useTranslation("identity");
  const { data: session } = useSuspenseQuery(askSession);
  const wayOn = (
    <Button component={Link} to={session === null ? "/sign-in" : "/"} variant="default" fullWidth>
      {t(session === null ? "signIn.do" : "invitation.home")}
    </Button>
  );
  if (invitation === null || invitation.state === "pending")
    return (
      <AuthCard title={t("invitation.badTitle")} lead={t("invitation.bad")}>
        {wayOn}
      </AuthCard>
    );
  const { state, email, organization_name: organization, invited_by: by } = invitation;
  const names = { email, organization, by: by ?? organization };
  return (
    <AuthCard title={t(`invitation.over.${state}.title`)} lead={t(`invitation.over.${state}.words`, names)}>
      {wayOn}
    </AuthCard>
  );
}

type ReceivedInvitation = Answer<"getReceivedInvitation">;
