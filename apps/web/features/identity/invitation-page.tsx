import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Trans, useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { ask } from "../../api/queries.ts";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { AcceptInvitation } from "./accept-invitation.tsx";
import { AuthCard } from "./auth-card.tsx";
import { ClosedInvitation } from "./closed-invitation.tsx";

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
