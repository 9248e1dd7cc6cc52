import { ActionIcon, Badge, Button, Group, Menu, Select, Stack, Text, Tooltip } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask, askPages, useChange } from "../../api/queries.ts";
import {
  hasAllPermissionsOf,
  useMay,
  useMe,
  useOrganization,
  usePermissions,
} from "../../session/current-organization.ts";

import { useConfirm } from "../../ui/confirm.tsx";
import { Icon } from "../../ui/icon.tsx";
import { List } from "../../ui/list.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { Page } from "../../ui/page.tsx";
import { InvitationsPart } from "./invitations-part.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { LeaveDialog } from "./leave-dialog.tsx";

const membersRoute = getRouteApi("/signed-in/o/$organization/members");

/** The members of the organization, and open invitations. */
export function MembersPage() {
  const { t } = useTranslation("members");
  const { name } = useOrganization();
  const may = useMay();
  const search = membersRoute.useSearch();
  const navigate = membersRoute.useNavigate();
  const setInviting = (isOpen: boolean) =>
    navigate({
      search: {
        ...(search.invitations === undefined ? {} : { invitations: search.invitations }),
        ...(isOpen ? { invite: true } : {}),
      },
      replace: true,
    });
  return (
    <Page
      wide
      title={t("title")}
      lead={t("lead", { organization: name })}
      actions={
        may("members:invite") && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setInviting(true)}>
            {t("invite.open")}
          </Button>
        )
      }
    >
      <Stack gap="xl">
        {may("members:view", "roles:edit", "members:remove") && <MembersPart />}
        {may("members:view", "members:invite") && <InvitationsPart />}
      </Stack>
      {may("members:invite") && (
        <InviteDialog
          opened={search.invite === true}
          roleId={search.role ?? null}
          onClose={() => setInviting(false)}
        />
      )}
    </Page>
  );
}

type Member = Item<"listMembers">;

function MembersPart() {
  const { t } = useTranslation("members");
  const organization = useOrganization();
  const me = useMe();
  const may = useMay();
  const held = usePermissions();
  const params = { organization_id: organization.id };
  const members = useInfiniteQuery(askPages("listMembers", { params }));
  const roles = useQuery(ask("listRoles", { params, query: { limit: 200 } }));
  const remove = useChange("removeMember");
  const [isLeaving, setLeaving] = useState(false);
  const removal = useConfirm(({ name, user_id }: Member) => ({
    title: t("remove.title", { name }),
    children: t("remove.words", { name, organization: organization.name }),
    action: t("remove.do"),
    onConfirm: async () => {
      await remove.mutateAsync({ params: { ...params, user_id } });
      notify(t("remove.done", { name }));
    },
  }));
  const isMe = (member: Member) => member.user_id === me.id;
  const canRemove = (member: Member) =>
    !member.is_owner &&
    (isMe(member) ||
      (may("members:remove") && member.role !== null && hasAllPermissionsOf(held, member.role)));
  return (
    <>
      <List
        label={t("title")}
        list={members}
        keyOf={(member) => member.user_id}
        columns={[
          {
            header: t("columns.name"),
            cell: (member) => (
              <Stack gap={0} miw={0}>
                <Group gap={6}>
                  <Text size="sm" fw={600}>
                    {member.name}
                  </Text>
                  {isMe(member) && (
                    <Badge size="xs" variant="default">
                      {t("you")}
                    </Badge>
                  )}
                </Group>
                <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                  {member.email}
                </Text>
              </Stack>
            ),
          },
          {
            header: t("columns.role"),
            cell: (member) => <RoleOfMember member={member} roles={roles.data?.data ?? []} />,
          },
          { header: t("columns.joined"), wide: true, at: (member) => member.joined_at },
          {
            header: t("columns.do"),
            isHeaderHidden: true,
            align: "right",
            width: 48,
            cell: (member) =>
              canRemove(member) && (
                <Menu position="bottom-end">
                  <Menu.Target>
                    <ActionIcon aria-label={t("actionsFor", { name: member.name })}>
                      <Icon name="more" />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    <Menu.Item
                      color="red"
                      leftSection={<Icon name={isMe(member) ? "leave" : "trash"} size={16} />}
                      onClick={() => (isMe(member) ? setLeaving(true) : removal.ask(member))}
                    >
                      {isMe(member) ? t("leave.open") : t("remove.open")}
                    </Menu.Item>
                  </Menu.Dropdown>
                </Menu>
              ),
          },
        ]}
        empty={null}
      />
      {removal.dialog}
      <LeaveDialog organization={isLeaving ? organization : null} onClose={() => setLeaving(false)} />
    </>
  );
}

/** A member's role, as a select for users who can change it. */
function RoleOfMember({ member, roles }: { member: Member; roles: readonly Item<"listRoles">[] }) {
  const { t } = useTranslation("members");
  const { id: organizationId } = useOrganization();
  const may = useMay();
  const held = usePermissions();
  const params = { organization_id: organizationId, user_id: member.user_id };
  const update = useChange("updateMember");
  if (member.is_owner || member.role === null)
    return (
      <Tooltip label={t("ownerCan")}>
        <Badge size="md" tabIndex={0}>
          {t("owner")}
        </Badge>
      </Tooltip>
    );
  const role = member.role;
  if (!may("roles:edit")) return <Text size="sm">{role.name}</Text>;
  if (!hasAllPermissionsOf(held, role))
    return (
      <Tooltip label={t("moreThanYours")}>
        <Text size="sm" tabIndex={0} w="fit-content">
          {role.name}
        </Text>
      </Tooltip>
    );
  const choose = async (roleId: string | null) => {
    const next = roles.find(({ id }) => id === roleId);
    if (next === undefined || next.id === role.id) return;
    const give = (role_id: string) => update.mutateAsync({ params, body: { role_id } });
    try {
      await give(next.id);
      notify(t("roleGiven", { name: member.name, role: next.name }), () => give(role.id));
    } catch (error) {
      // The select shows the old value again.
      notifyProblem(error);
    }
  };
  const choices = roles.map(({ id, name, permissions }) => ({
    value: id,
    label: name,
    disabled: !hasAllPermissionsOf(held, { permissions }),
  }));
  return (
    <Select
      size="xs"
      aria-label={t("roleOf", { name: member.name })}
      data={choices.some(({ value }) => value === role.id) ? choices : [{ value: role.id, label: role.name }]}
      value={update.isPending ? (update.variables.body?.role_id ?? role.id) : role.id}
      onChange={choose}
      allowDeselect={false}
      w={{ base: 124, sm: 200 }}
    />
  );
}
