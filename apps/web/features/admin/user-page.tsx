import { Group, Stack, Switch } from "@mantine/core";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask, useChange } from "../../api/queries.ts";
import { useMe } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { SaveForm } from "../../ui/form.tsx";
import { Back, GoLink } from "../../ui/links.tsx";
import { notify } from "../../ui/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { Fact, Facts, Panel } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { OverrideField } from "./limit-fields.tsx";
import { PasswordLinkPanel } from "./password-link.tsx";
import { SuspensionPanel } from "./suspension-panel.tsx";
import { UserBadges } from "./users-page.tsx";

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
      beside={<UserBadges user={user} />}
    >
      <Panel title={t("user.details")}>
        <Facts>
          <Fact name={t("user.email")}>
            <Copyable value={user.email} />
          </Fact>
          <Fact name={t("user.organizations")}>
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
          </Fact>
          <Fact name={t("users.since")}>
            <Time at={user.created_at} />
          </Fact>
          <Fact name="ID">
            <Copyable value={user.id} />
          </Fact>
          <Fact name={t("sections.audit")}>
            <GoLink to={paths.platformAuditLog({ actor: user.id })}>{t("user.log")}</GoLink>
          </Fact>
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
  const action = isAdmin ? "revoke" : "grant";
  const question = useConfirm(() => ({
    title: t(`user.${action}Title`, { name }),
    children: t(`user.${action}Words`, { name }),
    action: t(`user.${action}`),
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

/** How many organizations a user can own. It belongs to the user, also on an organization's page. */
export function AllowancePanel({ userId, ofOwner = false }: { userId: string; ofOwner?: boolean }) {
  const { t } = useTranslation("admin");
  const user = useQuery(ask("getUser", { params: { user_id: userId } }));
  if (user.data === undefined) return null;
  return (
    <Panel
      title={t(ofOwner ? "allowance.ofOwner" : "allowance.title", { name: user.data.name })}
      lead={t("allowance.owns", {
        count: user.data.organizations.filter((organization) => organization.is_owner).length,
      })}
    >
      <AllowanceForm
        key={user.data.updated_at}
        userId={userId}
        allowance={user.data.organization_allowance}
        updatedAt={user.data.updated_at}
      />
    </Panel>
  );
}

function AllowanceForm(props: { userId: string; allowance: number | null; updatedAt: string }) {
  const { t } = useTranslation("admin");
  const save = useChange("updateUser");
  const form = useForm({
    start: { organization_allowance: props.allowance },
    send: async (allowance) => {
      await save.mutateAsync({
        params: { user_id: props.userId },
        body: { ...allowance, updated_at: props.updatedAt },
      });
      notify(t("terms.done"));
    },
  });
  return (
    <SaveForm {...form.props}>
      <OverrideField
        {...form.field("organization_allowance")}
        label={t("allowance.label")}
        description={t("allowance.words")}
        defaultText={t("allowance.planDefault")}
        max={1_000_000}
      />
      <FormProblem form={form} />
    </SaveForm>
  );
}
