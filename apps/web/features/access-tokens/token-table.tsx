import { permissions } from "@countersign/domain/members/permissions";
import { Badge, Button, Group, Stack, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { notify } from "../../ui/notify.tsx";
import { permissionTextKeys } from "../../ui/permission-groups.ts";

type Token = Item<"listMyAccessTokens">;

interface TokenTableProps {
  readonly list: {
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
  readonly rows: readonly Token[];
  /** The creator; null where it is always the same user. */
  readonly nameOf: ((userId: string) => string | null) | null;
  readonly create: ReactNode;
  readonly emptyWords: string;
  /** Null if read-only. */
  readonly revoke: ((tokenId: string) => Promise<unknown>) | null;
}

export function TokenTable({ list, rows, nameOf, create, emptyWords, revoke }: TokenTableProps) {
  const { t } = useTranslation("access-tokens");
  const [going, setGoing] = useState<Token | null>(null);
  const columns: Column<Token>[] = [
    {
      id: "name",
      header: t("columns.name"),
      cell: (token) => (
        <Stack gap={0} miw={0}>
          <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
            {token.name}
          </Text>
          <Text size="xs" c="dimmed" className="mono">
            {token.prefix}…
          </Text>
        </Stack>
      ),
    },
    { id: "may", header: t("columns.permissions"), wide: true, cell: (token) => <May token={token} /> },
    {
      id: "used",
      header: t("columns.used"),
      cell: (token) =>
        token.last_used_at === null ? (
          <Text size="sm" c="dimmed">
            {t("neverUsed")}
          </Text>
        ) : (
          <ListTime at={token.last_used_at} />
        ),
    },
    {
      id: "expires",
      header: t("columns.expires"),
      cell: (token) => <Ends at={token.expires_at} />,
    },
    {
      id: "made",
      header: t("columns.created"),
      wide: true,
      cell: (token) => (
        <Stack gap={0}>
          <ListTime at={token.created_at} />
          {nameOf !== null && (
            <Text size="xs" c="dimmed">
              {token.created_by === null ? t("byToken") : (nameOf(token.created_by) ?? t("byFormerMember"))}
            </Text>
          )}
        </Stack>
      ),
    },
  ];
  if (revoke !== null)
    columns.push({
      id: "do",
      header: <VisuallyHidden>{t("columns.do")}</VisuallyHidden>,
      align: "right",
      cell: (token) => (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={t("revoke.for", { name: token.name })}
          onClick={() => setGoing(token)}
        >
          {t("revoke.do")}
        </Button>
      ),
    });
  return (
    <>
      <DataTable
        label={t("title")}
        columns={columns}
        rows={rows}
        keyOf={(token) => token.id}
        isPending={list.isPending}
        error={list.error}
        empty={
          <Empty icon="token" title={t("empty")} action={create}>
            {emptyWords}
          </Empty>
        }
        hasMore={list.hasNextPage}
        isFetchingMore={list.isFetchingNextPage}
        fetchMore={list.fetchNextPage}
      />
      <Confirm
        opened={going !== null}
        onClose={() => setGoing(null)}
        title={t("revoke.title", { name: going?.name })}
        action={t("revoke.do")}
        onConfirm={async () => {
          if (going === null || revoke === null) return;
          await revoke(going.id);
          notify(t("revoke.done", { name: going.name }));
        }}
      >
        {t("revoke.words")}
      </Confirm>
    </>
  );
}

function May({ token }: { token: Token }) {
  const { t } = useTranslation(["access-tokens", "permissions"]);
  if (token.permissions.length === permissions.length)
    return <Badge variant="light">{t("everything")}</Badge>;
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
  if (at === null)
    return (
      <Text size="sm" c="dimmed">
        {t("neverExpires")}
      </Text>
    );
  const isOver = Date.parse(at) <= Date.now();
  return (
    <Group gap={6}>
      <ListTime at={at} />
      {isOver && (
        <Badge size="xs" color="orange" variant="light">
          {t("expired")}
        </Badge>
      )}
    </Group>
  );
}
