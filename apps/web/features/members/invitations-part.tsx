import {
  ActionIcon,
  Badge,
  Group,
  SegmentedControl,
  Stack,
  Text,
  Title,
  Tooltip,
  VisuallyHidden,
} from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer, Item } from "../../api/client.ts";
import { askPages, flat, useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { InvitationLink } from "./invite-dialog.tsx";
import { type ShownState, shownStates } from "./search.ts";

const membersRoute = getRouteApi("/inside/o/$organization/members");

type Invitation = Item<"listInvitations">;

const colors = { pending: "blue", expired: "orange", accepted: "verdigris", revoked: "gray" } as const;

export function InvitationsPart() {
  const { t } = useTranslation("members");
  const { id: organizationId } = useOrganization();
  const may = useMay();
  const search = membersRoute.useSearch();
  const shown = search.invitations ?? "pending";
  const navigate = membersRoute.useNavigate();
  const list = useInfiniteQuery(
    askPages("listInvitations", {
      params: { organization_id: organizationId },
      query: shown === "all" ? {} : { state: shown },
    }),
  );
  const resend = useChange("resendInvitation");
  const revoke = useChange("revokeInvitation");
  const [taken, setTaken] = useState<Invitation | null>(null);
  const [renewed, setRenewed] = useState<Answer<"resendInvitation"> | null>(null);
  const sendsEmail = useSendsEmail();
  const paramsOf = (invitation: Invitation) => ({
    params: { organization_id: organizationId, invitation_id: invitation.id },
  });
  const sendAgain = (invitation: Invitation) =>
    resend.mutate(paramsOf(invitation), {
      onSuccess: (again) =>
        again.link === null ? notify(t("resend.done", { email: invitation.email })) : setRenewed(again),
      onError: notifyProblem,
    });
  const columns: Column<Invitation>[] = [
    {
      id: "email",
      header: t("columns.email"),
      cell: (invitation) => (
        <Stack gap={2} miw={0}>
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {invitation.email}
          </Text>
          <Text size="xs" c="dimmed">
            {invitation.role.name}
            {invitation.invited_by !== null && ` · ${t("by", { name: invitation.invited_by.name })}`}
          </Text>
        </Stack>
      ),
    },
    {
      id: "state",
      header: t("columns.state"),
      wide: shown !== "all",
      cell: (invitation) => (
        <Badge variant="light" color={colors[invitation.state]}>
          {t(`states.${invitation.state}`)}
        </Badge>
      ),
    },
    {
      id: "sent",
      header: t("columns.sent"),
      wide: true,
      cell: (invitation) => <ListTime at={invitation.created_at} />,
    },
    {
      id: "until",
      header: t("columns.until"),
      wide: true,
      cell: (invitation) =>
        invitation.state === "pending" || invitation.state === "expired" ? (
          <ListTime at={invitation.expires_at} />
        ) : invitation.accepted_at !== null ? (
          <Text size="sm" c="dimmed">
            {t("acceptedAt")} <ListTime at={invitation.accepted_at} />
          </Text>
        ) : (
          "–"
        ),
    },
    {
      id: "do",
      header: <VisuallyHidden>{t("columns.do")}</VisuallyHidden>,
      align: "right",
      width: 88,
      cell: (invitation) =>
        may("members:invite") &&
        (invitation.state === "pending" || invitation.state === "expired") && (
          <Group gap={4} justify="flex-end" wrap="nowrap">
            <Tooltip label={t(sendsEmail ? "resend.words" : "resend.wordsNoEmail")}>
              <ActionIcon
                variant="subtle"
                color="gray"
                loading={resend.isPending && resend.variables?.params?.invitation_id === invitation.id}
                onClick={() => sendAgain(invitation)}
                aria-label={t(sendsEmail ? "resend.do" : "resend.doNoEmail", { email: invitation.email })}
              >
                <Icon name={sendsEmail ? "mail" : "refresh"} size={16} />
              </ActionIcon>
            </Tooltip>
            <Tooltip label={t("withdraw.open")}>
              <ActionIcon
                variant="subtle"
                color="red"
                onClick={() => setTaken(invitation)}
                aria-label={t("withdraw.for", { email: invitation.email })}
              >
                <Icon name="close" size={16} />
              </ActionIcon>
            </Tooltip>
          </Group>
        ),
    },
  ];
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>{t("invitations")}</Title>
        <SegmentedControl
          size="xs"
          aria-label={t("filterLabel")}
          value={shown}
          onChange={(value) =>
            navigate({
              search: { ...search, invitations: value as ShownState },
              replace: true,
            })
          }
          data={shownStates.map((value) => ({
            value,
            label: t(`filter.${value}`),
          }))}
        />
      </Group>
      <DataTable
        label={t("invitations")}
        columns={columns}
        rows={flat(list.data)}
        keyOf={(invitation) => invitation.id}
        isPending={list.isPending}
        error={list.error}
        empty={<Text c="dimmed">{t(`none.${shown}`)}</Text>}
        hasMore={list.hasNextPage}
        isFetchingMore={list.isFetchingNextPage}
        fetchMore={list.fetchNextPage}
      />
      <InvitationLink invitation={renewed} onDone={() => setRenewed(null)} />
      <Confirm
        opened={taken !== null}
        onClose={() => setTaken(null)}
        title={t("withdraw.title")}
        action={t("withdraw.open")}
        onConfirm={async () => {
          if (taken === null) return;
          await revoke.mutateAsync(paramsOf(taken));
          notify(t("withdraw.done", { email: taken.email }));
        }}
      >
        {t("withdraw.words", { email: taken?.email })}
      </Confirm>
    </Stack>
  );
}
