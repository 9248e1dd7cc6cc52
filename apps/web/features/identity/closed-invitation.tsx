import { Button } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { AuthCard } from "./auth-card.tsx";
import type { ReceivedInvitation } from "./received-invitation.ts";
import { askSession } from "./session.ts";

/** Why an invitation link no longer works, and what to do. Null for an unknown link. */
export function ClosedInvitation({ invitation }: { invitation: ReceivedInvitation | null }) {
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
  const words = { email, organization, by: by ?? organization };
  return (
    <AuthCard title={t(`invitation.over.${state}.title`)} lead={t(`invitation.over.${state}.words`, words)}>
      {wayOn}
    </AuthCard>
  );
}
