import { Button, Group } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { useTranslation } from "react-i18next";
import { askPages, useChange } from "../../api/queries.ts";
import { useMay, useOrganizationOrNull } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Copy } from "../../ui/copy.tsx";
import type { PageLink } from "../../ui/links.tsx";
import { GoLink } from "../../ui/links.tsx";
import { Faint, List, RowAction } from "../../ui/list.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { onDemand } from "../../ui/on-demand.tsx";
import { Section } from "../../ui/section.tsx";
import { ListTime } from "../../ui/time.tsx";
import { type BlockScope, type IpBlock, isSingleIp, routesOf, shownCidr } from "./scope.ts";

/** Loaded on demand: most visits to the pages that offer it do not block anything. */
export const LazyBlockDialog = onDemand(() => import("./block-dialog.tsx").then((file) => file.BlockDialog));

/** The blocks of the platform, an organization, a customer or a license. Removing one can be undone. */
export function BlockList({ scope, empty }: { scope: BlockScope; empty: ReactElement }) {
  const { t } = useTranslation("ip-blocks");
  const may = useMay();
  const organization = useOrganizationOrNull();
  // Where seen IP addresses are listed, if the user can open it.
  const slug = organization !== null && may("licenses:view") ? organization.slug : null;
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
  return (
    <>
      <List
        label={t(`tables.${scope.level}`)}
        list={list}
        columns={[
          {
            header: t("cidr"),
            cell: ({ cidr }) => {
              const page = pageOf(cidr);
              return (
                <Group gap={4} wrap="nowrap">
                  {page !== null ? (
                    <GoLink to={page} className="mono">
                      {shownCidr(cidr)}
                    </GoLink>
                  ) : (
                    <span className="mono">{shownCidr(cidr)}</span>
                  )}
                  <Copy value={shownCidr(cidr)} />
                </Group>
              );
            },
          },
          { header: t("note"), cell: (block) => block.note ?? <Faint>–</Faint> },
          {
            header: t("expires"),
            wide: true,
            cell: (block) => (block.expires_at === null ? t("never") : <End at={block.expires_at} />),
          },
          {
            header: t("added"),
            wide: true,
            cell: (block) => (
              <>
                <ListTime at={block.created_at} />
                {block.created_by !== null && <Faint> · {block.created_by}</Faint>}
              </>
            ),
          },
          (scope.level === "platform" || may("ip_blocks:manage")) && {
            header: t("actions"),
            isHeaderHidden: true,
            align: "right",
            width: 84,
            cell: (block) => (
              <Group gap={2} wrap="nowrap" justify="flex-end">
                <RowAction
                  label={t("change", { cidr: shownCidr(block.cidr) })}
                  icon="edit"
                  onClick={() => setChanging(block)}
                />
                <RowAction
                  label={t("remove", { cidr: shownCidr(block.cidr) })}
                  icon="close"
                  onClick={() => unblock(block).catch(notifyProblem)}
                />
              </Group>
            ),
          },
        ]}
        empty={empty}
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

interface BlockSectionProps {
  readonly scope: BlockScope;
  readonly title: string;
  /** The label of the button. */
  readonly add: string;
  readonly empty: ReactElement;
}

/** The blocks of a customer or a license, on its page. */
export function BlockSection({ scope, title, add, empty }: BlockSectionProps) {
  const mayManage = useMay()("ip_blocks:manage");
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title={title}
      bare
      id="blocks"
      actions={
        mayManage && (
          <Button size="xs" variant="default" onClick={() => setOpen(true)}>
            {add}
          </Button>
        )
      }
    >
      <BlockList scope={scope} empty={empty} />
      <LazyBlockDialog scope={scope} opened={isOpen} onClose={() => setOpen(false)} />
    </Section>
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
    <Faint>
      {t("expired")} <ListTime at={at} />
    </Faint>
  );
}
