import { permissions } from "@countersign/domain/members/permissions";
import { Badge, Button, Group, Stack, Text, Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { List, type ListQuery } from "../../ui/list.tsx";
import { notify } from "../../ui/notify.tsx";
import { permissionTextKeys } from "../../ui/permission-picker.tsx";
import { ListTime } from "../../ui/time.tsx";

type Token = Item<"listMyAccessTokens">;

interface TokenTableProps {
  readonly list: ListQuery<Token>;
  /** The creator; null where it is always the same user. */
  readonly nameOf: ((userId: string) => string | null) | null;
  readonly create: ReactNode;
  readonly emptyWords: string;
  /** Null if read-only. */
  readonly revoke: ((tokenId: string) => Promise<unknown>) | null;
}

export function TokenTable({ list, nameOf, create, emptyWords, revoke }: TokenTableProps) {
  const { t } = useTranslation("access-tokens");
  const revocation = useConfirm((token: Token) => ({
    title: t("revoke.title", { name: token.name }),
    children: t("revoke.words"),
    action: t("revoke.do"),
    onConfirm: async () => {
      await revoke?.(token.id);
      notify(t("revoke.done", { name: token.name }));
    },
  }));
  return (
    <>
      <List
        label={t("title")}
        list={list}
        columns={[
          {
            header: t("columns.name"),
            cell: (token) => (
              <Stack gap={0} miw={0}>
                <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
                  {token.name}
                </Text>
                <Dimmed size="xs" className="mono">
                  {token.prefix}…
                </Dimmed>
              </Stack>
            ),
          },
          { header: t("columns.permissions"), wide: true, cell: (token) => <May token={token} /> },
          { header: t("columns.used"), at: (token) => token.last_used_at, never: t("neverUsed") },
          { header: t("columns.expires"), cell: (token) => <Ends at={token.expires_at} /> },
          {
            header: t("columns.created"),
            wide: true,
            cell: (token) => (
              <Stack gap={0}>
                <ListTime at={token.created_at} />
                {nameOf !== null && (
                  <Dimmed size="xs">
                    {token.created_by === null
                      ? t("byToken")
                      : (nameOf(token.created_by) ?? t("byFormerMember"))}
                  </Dimmed>
                )}
              </Stack>
            ),
          },
          revoke !== null && {
            header: t("columns.do"),
            isHeaderHidden: true,
            align: "right",
            cell: (token) => (
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                aria-label={t("revoke.for", { name: token.name })}
                onClick={() => revocation.ask(token)}
              >
                {t("revoke.do")}
              </Button>
            ),
          },
        ]}
        empty={{ icon: "token", title: t("empty"), words: emptyWords, action: create }}
      />
      {revocation.dialog}
    </>
  );
}

function May({ token }: { token: Token }) {
  const { t } = useTranslation(["access-tokens", "permissions"]);
  if (token.permissions.length === permissions.length) return <Badge size="md">{t("everything")}</Badge>;
  const names = token.permissions.map((permission) =>
    t(`permissions:${permissionTextKeys(permission).name}`),
  );
  return (
    <Tooltip label={names.join(", ")} multiline maw={360} disabled={names.length <= 2}>
      <Text size="sm" tabIndex={names.length > 2 ? 0 : undefined} w="fit-content">
        {names.slice(0, 2).join(", ")}
        {names.length > 2 && ` ${t("andMore", { count: names.length - 2 })}`}
      </Text>
    </Tooltip>
  );
}

function Ends({ at }: { at: string | null }) {
  const { t } = useTranslation("access-tokens");
  if (at === null) return <Dimmed>{t("neverExpires")}</Dimmed>;
  const isOver = Date.parse(at) <= Date.now();
  return (
    <Group gap={6}>
      <ListTime at={at} />
      {isOver && (
        <Badge size="xs" color="orange">
          {t("expired")}
        </Badge>
      )}
    </Group>
  );
}
