import { Button, Stack, Text, UnstyledButton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { askPages, flat } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ipClass } from "../../ui/ip-class.ts";
import { ListTime } from "../../ui/list-time.tsx";
import { Page } from "../../ui/page.tsx";
import { shortDate } from "../../ui/time.tsx";
import { plainWords } from "./actions.ts";
import { Actor, ActorName } from "./actor.tsx";
import { AuditFilters, nothing } from "./audit-filters.tsx";
import classes from "./audit-log.module.css";
import { ShortDifference } from "./difference.tsx";
import { EntryDrawer } from "./entry-drawer.tsx";
import { ExportMenu } from "./export-menu.tsx";
import type { Entry } from "./field-changes.ts";
import type { AuditSearch } from "./search.ts";
import { Subject } from "./subject.tsx";

const auditLogRoute = getRouteApi("/signed-in/o/$organization/audit-log");

export function AuditLogPage() {
  const { t, i18n } = useTranslation("audit-log");
  const { id } = useOrganization();
  const search = auditLogRoute.useSearch();
  const navigate = auditLogRoute.useNavigate();
  const { entry: openId, ...filters } = search;
  const list = useInfiniteQuery(
    askPages("listAuditLog", { params: { organization_id: id }, query: filters }),
  );
  const entries = flat(list.data);
  const kept = list.data?.pages.at(-1);
  const narrow = (changes: Partial<AuditSearch>) =>
    void navigate({ search: { ...search, ...changes }, replace: true });
  const open = (entry: string | undefined) =>
    void navigate({ search: { ...search, entry }, resetScroll: false });
  const columns: readonly Column<Entry>[] = [
    {
      id: "when",
      header: t("columns.when"),
      width: 130,
      wide: true,
      cell: (entry) => <ListTime at={entry.at} />,
    },
    { id: "who", header: t("columns.who"), wide: true, cell: (entry) => <Actor actor={entry.actor} /> },
    {
      id: "what",
      header: t("columns.action"),
      whole: true,
      cell: (entry) => (
        <>
          <UnstyledButton className={classes.open ?? ""} onClick={() => open(entry.id)}>
            {t(`actions.${entry.action}`, { defaultValue: plainWords(entry.action) })}
          </UnstyledButton>
          <Text inherit c="dimmed" hiddenFrom="sm">
            <ActorName actor={entry.actor} /> · <ListTime at={entry.at} />
          </Text>
        </>
      ),
    },
    {
      id: "subject",
      header: t("columns.target"),
      cell: (entry) => (
        <div className={classes.subject}>
          <Subject subject={entry.subject} action={entry.action} />
        </div>
      ),
    },
    {
      id: "changes",
      header: t("columns.changes"),
      wide: true,
      cell: (entry) => <ShortDifference entry={entry} />,
    },
    {
      id: "from",
      header: t("columns.ip"),
      wide: true,
      cell: (entry) => <span className={ipClass(entry.ip ?? "")}>{entry.ip ?? ""}</span>,
    },
  ];
  const isNarrowed = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page wide title={t("title")} lead={<Lead kept={kept} />} actions={<ExportMenu search={search} />}>
      <Stack gap="sm">
        <AuditFilters search={search} onChange={narrow} entries={entries} />
        <DataTable
          label={t("title")}
          columns={columns}
          rows={entries}
          keyOf={(entry) => entry.id}
          isPending={list.isPending}
          error={list.error}
          hasMore={list.hasNextPage}
          isFetchingMore={list.isFetchingNextPage}
          fetchMore={list.fetchNextPage}
          isMarked={(entry) => entry.id === openId}
          empty={
            <Empty
              icon={isNarrowed ? "filter" : "audit"}
              title={isNarrowed ? t("nothingFound.title") : t("empty.title")}
              action={
                isNarrowed && (
                  <Button variant="default" onClick={() => narrow(nothing)}>
                    {t("filters.clear")}
                  </Button>
                )
              }
            >
              {isNarrowed ? t("nothingFound.words") : t("empty.words")}
            </Empty>
          }
        />
        {list.isSuccess && !list.hasNextPage && !isNarrowed && typeof kept?.complete_since === "string" && (
          <Text size="sm" c="dimmed" ta="center">
            {t("completeSince", { date: shortDate(kept.complete_since, i18n.language) })}
          </Text>
        )}
      </Stack>
      <EntryDrawer
        entry={entries.find((entry) => entry.id === openId) ?? null}
        onClose={() => open(undefined)}
        onNarrow={narrow}
      />
    </Page>
  );
}

type Kept = Pick<Answer<"listAuditLog">, "kept_days" | "older_entries">;

/** What the log is, and how long its entries are kept if not for ever. */
function Lead({ kept }: { readonly kept: Kept | undefined }) {
  const { t } = useTranslation("audit-log");
  if (kept?.kept_days == null || kept.older_entries === null) return t("lead");
  return `${t("leadOfKept")} ${t(`kept.${kept.older_entries}`, { count: kept.kept_days })}`;
}
