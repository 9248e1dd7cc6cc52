import { ActionIcon, Badge, Group, Menu, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask, askPages, flat, useChange } from "../../api/queries.ts";
import { useMay, useMe, useOrganization } from "../../session/current-organization.ts";
import { hasAllPermissionsOf, usePermissions } from "../../session/permissions.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { notify } from "../../ui/notify.tsx";
import { LeaveDialog } from "./leave-dialog.tsx";
import { RoleOfMember } from "./role-of-member.tsx";

type Member = Item<"listMembers">;

export function MembersPart() {
  const { t } = useTranslation("members");
  const organization = useOrganization();
  const me = useMe();
  const may = useMay();
  const held = usePermissions();
  const params = { organization_id: organization.id };
  const members = useInfiniteQuery(askPages("listMembers", { params }));
  const roles = useQuery(ask("listRoles", { params, query: { limit: 200 } }));
  const remove = useChange("removeMember");
  const [going, setGoing] = useState<Member | null>(null);
  const isMe = (member: Member | null) => member?.user_id === me.id;

  const canRemove = (member: Member) =>
    !member.is_owner &&
    (isMe(member) ||
      (may("members:remove") && member.role !== null && hasAllPermissionsOf(held, member.role)));

  const columns: Column<Member>[] = [
    {
      id: "name",
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
      id: "role",
      header: t("columns.role"),
      cell: (member) => <RoleOfMember member={member} roles={roles.data?.data ?? []} />,
    },
    {
      id: "joined",
      header: t("columns.joined"),
      wide: true,
      cell: (member) => <ListTime at={member.joined_at} />,
    },
    {
      id: "do",
      header: <VisuallyHidden>{t("columns.do")}</VisuallyHidden>,
      align: "right",
      width: 48,
      cell: (member) =>
        canRemove(member) && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={t("actionsFor", { name: member.name })}>
                <Icon name="more" />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item
                color="red"
                leftSection={<Icon name={isMe(member) ? "leave" : "trash"} size={16} />}
                onClick={() => setGoing(member)}
              >
                {isMe(member) ? t("leave.open") : t("remove.open")}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        ),
    },
  ];

  const confirmed = async () => {
    if (going === null) return;
    await remove.mutateAsync({ params: { ...params, user_id: going.user_id } });
    notify(t("remove.done", { name: going.name }));
  };
  return (
    <>
      <DataTable
        label={t("title")}
        columns={columns}
        rows={flat(members.data)}
        keyOf={(member) => member.user_id}
        isPending={members.isPending}
        error={members.error}
        empty={null}
        hasMore={members.hasNextPage}
        isFetchingMore={members.isFetchingNextPage}
        fetchMore={members.fetchNextPage}
      />
      <Confirm
        opened={going !== null && !isMe(going)}
        onClose={() => setGoing(null)}
        title={t("remove.title", { name: going?.name })}
        action={t("remove.do")}
        onConfirm={confirmed}
      >
        {t("remove.words", { name: going?.name, organization: organization.name })}
      </Confirm>
      <LeaveDialog organization={isMe(going) ? organization : null} onClose={() => setGoing(null)} />
    </>
  );
}
