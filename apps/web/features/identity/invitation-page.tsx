import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Trans, useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { ask } from "../../api/queries.ts";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { InvitationAnswer } from "./invitation-answer.tsx";
import { InvitationOver } from "./invitation-over.tsx";
import { OutsideCard } from "./outside-card.tsx";

const invitationRoute = getRouteApi("/outside/invitations/$token");

/** Who invites, to which organization and role, and the steps to accept. */
export function InvitationPage() {
  const { t, i18n } = useTranslation("identity");
  const { token } = invitationRoute.useParams();
  const { data: invitation, error } = useQuery(ask("getReceivedInvitation", { params: { token } }));
  const until = (at: string) =>
    new Intl.DateTimeFormat(i18n.language, { dateStyle: "long", timeStyle: "short" }).format(new Date(at));
  if (error !== null) {
    if (error instanceof ApiProblem && error.status === 404) return <InvitationOver invitation={null} />;
    return (
      <OutsideCard title={t("invitation.badTitle")}>
        <ProblemAlert error={error} />
      </OutsideCard>
    );
  }
  if (invitation === undefined) return null;
  if (invitation.state !== "pending") return <InvitationOver invitation={invitation} />;
  const { organization_name: organization, role_name: role, invited_by: by } = invitation;
  return (
    <OutsideCard
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
      <InvitationAnswer token={token} invitation={invitation} />
    </OutsideCard>
  );
}
