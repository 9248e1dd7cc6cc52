import { Group, Stack, Switch } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { useMe } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Back, GoLink } from "../../ui/links.tsx";
import { notify } from "../../ui/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { Facts, Panel } from "../../ui/section.tsx";

import { Time } from "../../ui/time.tsx";
import { AllowancePanel } from "./allowance-panel.tsx";
import { PasswordLinkPanel } from "./password-link.tsx";
import { SuspensionPanel } from "./suspension-panel.tsx";
import { Marks } from "./users-page.tsx";

const adminUserRoute = getRouteApi("/signed-in/admin/admin-layout/users/$id");

export function UserPage() {
  const { t } = useTranslation("admin");
  const { id } = adminUserRoute.useParams();
  const me = useMe();
  const params = { user_id: id };
  const { data: user } = useSuspenseQuery(ask("getUser", { params }));
  const suspend = useChange("suspendUser");
  const restore = useChange("restoreUser");
  return (
    <Page
      narrow
      title={user.name}
      above={<Back to={paths.users()}>{t("users.title")}</Back>}
      beside={<Marks user={user} />}
    >
      <Panel title={t("user.details")}>
        <Facts>
          <dt>{t("user.email")}</dt>
          <dd>
            <Copyable value={user.email} />
          </dd>
          <dt>{t("user.organizations")}</dt>
          <dd>
            {user.organizations.length === 0 ? (
              "–"
            ) : (
              <Stack gap={2}>
                {user.organizations.map((organization) => (
                  <Group key={organization.id} gap={6}>
                    <GoLink to={paths.platformOrganization(organization.id)}>{organization.name}</GoLink>
                    <Dimmed>{t(organization.is_owner ? "user.owner" : "user.member")}</Dimmed>
                  </Group>
                ))}
              </Stack>
            )}
          </dd>
          <dt>{t("users.since")}</dt>
          <dd>
            <Time at={user.created_at} />
          </dd>
          <dt>ID</dt>
          <dd>
            <Copyable value={user.id} />
          </dd>
          <dt>{t("sections.audit")}</dt>
          <dd>
            <GoLink to={paths.platformAuditLog({ actor: user.id })}>{t("user.log")}</GoLink>
          </dd>
        </Facts>
      </Panel>
      {user.suspended_at === null && <PasswordLinkPanel user={user} />}
      <AdminPanel isAdmin={user.is_platform_admin} name={user.name} params={params} />
      <AllowancePanel userId={id} />
      {id !== me.id && (
        <SuspensionPanel
          of="person"
          name={user.name}
          suspendedAt={user.suspended_at}
          reason={user.suspension_reason}
          suspend={(reason) => suspend.mutateAsync({ params, body: { reason } })}
          restore={() => restore.mutateAsync({ params })}
        />
      )}
    </Page>
  );
}

interface AdminPanelProps {
  readonly isAdmin: boolean;
  readonly name: string;
  readonly params: { readonly user_id: string };
}

/** Asks first in both directions, because it gives or removes access to the whole server. */
function AdminPanel({ isAdmin, name, params }: AdminPanelProps) {
  const { t } = useTranslation("admin");
  const change = useChange("updateUser");
  const words = isAdmin ? "revoke" : "grant";
  const question = useConfirm(() => ({
    title: t(`user.${words}Title`, { name }),
    children: t(`user.${words}Words`, { name }),
    action: t(`user.${words}`),
    harmless: !isAdmin,
    onConfirm: async () => {
      await change.mutateAsync({ params, body: { is_platform_admin: !isAdmin } });
      notify(t("terms.done"));
    },
  }));
  return (
    <Panel title={t("user.admin")} lead={t("user.adminWords")}>
      <Switch label={t("user.isAdmin")} checked={isAdmin} onChange={() => question.ask()} />
      {question.dialog}
    </Panel>
  );
}
