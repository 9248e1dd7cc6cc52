import { ActionIcon, Group, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { askPages, flat, useChange } from "../../api/queries.ts";
import { useMay, useOrganizationOrNull } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Copy } from "../../ui/copy.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import type { PageLink } from "../../ui/page-link.ts";
import { LazyBlockDialog } from "./lazy-block-dialog.tsx";
import { type BlockScope, type IpBlock, isSingleIp, routesOf, shownCidr } from "./scope.ts";

/** The blocks of the platform, an organization, a customer or a license. Removing one can be undone. */
export function BlockList({ scope, empty }: { scope: BlockScope; empty: ReactNode }) {
  const { t } = useTranslation("ip-blocks");
  const may = useMay();
  const here = useOrganizationOrNull();
  // Where seen IP addresses are listed, if the user can open it.
  const slug = here !== null && may("licenses:view") ? here.slug : null;
  const pageOf = (cidr: string) =>
    scope.level === "platform" ? platformPageOf(cidr) : slug === null ? null : pageIn(slug, cidr);
  const routes = routesOf(scope);
  const list = useInfiniteQuery(askPages(routes.list, { params: routes.params }));
  const add = useChange(routes.add);
  const remove = useChange(routes.remove);
  const [changing, setChanging] = useState<IpBlock | null>(null);
  const unblock = async (block: IpBlock) => {
    const { cidr, note, expires_at } = block;
    await remove.mutateAsync({ params: { ...routes.params, block_id: block.id } });
    notify(t("done.removed", { cidr: shownCidr(cidr) }), () =>
      add.mutateAsync({ params: routes.params, body: { cidr, note, expires_at } }),
    );
  };
  const columns: Column<IpBlock>[] = [
    {
      id: "cidr",
      header: t("cidr"),
      cell: (block) => {
        const page = pageOf(block.cidr);
        return (
          <Group gap={4} wrap="nowrap">
            {page !== null ? (
              <GoLink to={page} className="mono">
                {shownCidr(block.cidr)}
              </GoLink>
            ) : (
              <span className="mono">{shownCidr(block.cidr)}</span>
            )}
            <Copy value={shownCidr(block.cidr)} />
          </Group>
        );
      },
    },
    {
      id: "note",
      header: t("note"),
      cell: (block) =>
        block.note ?? (
          <Text inherit component="span" c="dimmed">
            –
          </Text>
        ),
    },
    {
      id: "expires",
      header: t("expires"),
      wide: true,
      cell: (block) => (block.expires_at === null ? t("never") : <End at={block.expires_at} />),
    },
    {
      id: "added",
      header: t("added"),
      wide: true,
      cell: (block) => (
        <>
          <ListTime at={block.created_at} />
          {block.created_by !== null && (
            <Text component="span" inherit c="dimmed">
              {" "}
              · {block.created_by}
            </Text>
          )}
        </>
      ),
    },
  ];
  if (scope.level === "platform" || may("ip_blocks:manage"))
    columns.push({
      id: "do",
      header: <VisuallyHidden>{t("actions")}</VisuallyHidden>,
      align: "right",
      width: 84,
      cell: (block) => (
        <Group gap={2} wrap="nowrap" justify="flex-end">
          <Act
            label={t("change", { cidr: shownCidr(block.cidr) })}
            icon="edit"
            do={() => setChanging(block)}
          />
          <Act
            label={t("remove", { cidr: shownCidr(block.cidr) })}
            icon="close"
            do={() => unblock(block).catch(notifyProblem)}
          />
        </Group>
      ),
    });
  return (
    <>
      <DataTable
        label={t(`tables.${scope.level}`)}
        columns={columns}
        rows={flat(list.data)}
        keyOf={(block) => block.id}
        isPending={list.isPending}
        error={list.error}
        empty={empty}
        hasMore={list.hasNextPage}
        isFetchingMore={list.isFetchingNextPage}
        fetchMore={list.fetchNextPage}
      />
      <LazyBlockDialog
        scope={scope}
        opened={changing !== null}
        block={changing}
        onClose={() => setChanging(null)}
      />
    </>
  );
}

/** A network links to the filtered list, an IP address to its own page. */
function pageIn(slug: string, cidr: string): PageLink {
  const address = shownCidr(cidr);
  return isSingleIp(cidr) ? paths.ip(slug, address) : paths.ips(slug, { in: address });
}

/** The same for all organizations. */
function platformPageOf(cidr: string): PageLink {
  const address = shownCidr(cidr);
  return isSingleIp(cidr) ? paths.platformIp(address) : paths.platformIps({ in: address });
}

/** An expired block stays on the list and has no effect. */
function End({ at }: { at: string }) {
  const { t } = useTranslation("ip-blocks");
  return new Date(at).getTime() > Date.now() ? (
    <ListTime at={at} />
  ) : (
    <Text inherit component="span" c="dimmed">
      {t("expired")} <ListTime at={at} />
    </Text>
  );
}

function Act({ label, icon, do: act }: { label: string; icon: "edit" | "close"; do: () => unknown }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} onClick={() => void act()}>
        <Icon name={icon} size={15} />
      </ActionIcon>
    </Tooltip>
  );
}
