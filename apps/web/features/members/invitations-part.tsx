import { ActionIcon, Badge, Group, Stack, Text, Title, Tooltip } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer, Item } from "../../api/client.ts";
import { askPages, useChange } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { useSendsEmail } from "../../session/sends-email.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { FilterChoice } from "../../ui/filters.tsx";
import { Icon } from "../../ui/icon.tsx";
import { List } from "../../ui/list.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { ListTime } from "../../ui/time.tsx";
import { InvitationLink } from "./invite-dialog.tsx";
import { shownStates } from "./search.ts";

const membersRoute = getRouteApi("/signed-in/o/$organization/members");

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
  const [renewed, setRenewed] = useState<Answer<"resendInvitation"> | null>(null);
  const paramsOf = (invitation: Invitation) => ({
    params: { organization_id: organizationId, invitation_id: invitation.id },
  });
  const sendAgain = (invitation: Invitation) =>
    resend.mutate(paramsOf(invitation), {
      onSuccess: (again) =>
        again.link === null ? notify(t("resend.done", { email: invitation.email })) : setRenewed(again),
      onError: notifyProblem,
    });
  const withdrawal = useConfirm((invitation: Invitation) => ({
    title: t("withdraw.title"),
    children: t("withdraw.words", { email: invitation.email }),
    action: t("withdraw.open"),
    onConfirm: async () => {
      await revoke.mutateAsync(paramsOf(invitation));
      notify(t("withdraw.done", { email: invitation.email }));
    },
  }));
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>{t("invitations")}</Title>
        <FilterChoice
          size="xs"
          label={t("filterLabel")}
          values={shownStates}
          words={(value) => t(`filter.${value}`)}
          value={shown}
          onChange={(value) => void navigate({ search: { ...search, invitations: value }, replace: true })}
        />
      </Group>
      <List
        label={t("invitations")}
        list={list}
        columns={[
          {
            header: t("columns.email"),
            cell: (invitation) => (
              <Stack gap={2} miw={0}>
                <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                  {invitation.email}
                </Text>
                <Dimmed size="xs">
                  {invitation.role.name}
                  {invitation.invited_by !== null && ` · ${t("by", { name: invitation.invited_by.name })}`}
                </Dimmed>
              </Stack>
            ),
          },
          {
            header: t("columns.state"),
            wide: shown !== "all",
            cell: ({ state }) => (
              <Badge size="md" color={colors[state]}>
                {t(`states.${state}`)}
              </Badge>
            ),
          },
          { header: t("columns.sent"), wide: true, at: (invitation) => invitation.created_at },
          {
            header: t("columns.until"),
            wide: true,
            cell: (invitation) =>
              isOpen(invitation) ? (
                <ListTime at={invitation.expires_at} />
              ) : invitation.accepted_at !== null ? (
                <Dimmed>
                  {t("acceptedAt")} <ListTime at={invitation.accepted_at} />
                </Dimmed>
              ) : (
                "–"
              ),
          },
          {
            header: t("columns.do"),
            isHeaderHidden: true,
            align: "right",
            width: 88,
            cell: (invitation) =>
              may("members:invite") &&
              isOpen(invitation) && (
                <InvitationActions
                  invitation={invitation}
                  isResending={resend.isPending && resend.variables.params.invitation_id === invitation.id}
                  onResend={() => sendAgain(invitation)}
                  onWithdraw={() => withdrawal.ask(invitation)}
                />
              ),
          },
        ]}
        empty={t(`none.${shown}`)}
      />
      <InvitationLink invitation={renewed} onDone={() => setRenewed(null)} />
      {withdrawal.dialog}
    </Stack>
  );
}

interface InvitationActionsProps {
  readonly invitation: Invitation;
  readonly isResending: boolean;
  readonly onResend: () => void;
  readonly onWithdraw: () => void;
}

/** Sends an open invitation again, or withdraws it. */
function InvitationActions({ invitation, isResending, onResend, onWithdraw }: InvitationActionsProps) {
  const { t } = useTranslation("members");
  const sendsEmail = useSendsEmail();
  const { email } = invitation;
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Tooltip label={t(sendsEmail ? "resend.words" : "resend.wordsNoEmail")}>
        <ActionIcon
          loading={isResending}
          onClick={onResend}
          aria-label={t(sendsEmail ? "resend.do" : "resend.doNoEmail", { email })}
        >
          <Icon name={sendsEmail ? "mail" : "refresh"} size={16} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t("withdraw.open")}>
        <ActionIcon color="red" onClick={onWithdraw} aria-label={t("withdraw.for", { email })}>
          <Icon name="close" size={16} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

function isOpen({ state }: Invitation): boolean {
  return state === "pending" || state === "expired";
}
