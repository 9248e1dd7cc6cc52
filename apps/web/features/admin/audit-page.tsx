import { Button, Drawer, Group, Pill, Select, Stack, Text, Title, UnstyledButton } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask, askPages, flat } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Facts } from "../../ui/facts.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { Page } from "../../ui/page.tsx";
import { exactTime } from "../../ui/time.tsx";
import { actions, plainWords } from "../audit-log/actions.ts";
import { Actor, ActorName } from "../audit-log/actor.tsx";
import { Difference, ShortDifference } from "../audit-log/difference.tsx";
import type { Entry } from "../audit-log/field-changes.ts";
import { platformActions } from "./platform-actions.ts";

const platformAuditRoute = getRouteApi("/inside/admin/admin-layout/audit-log");

const narrowing = ["organization", "actor", "subject"] as const;

/** The audit log across all organizations. */
export function PlatformAuditPage() {
  const { t } = useTranslation(["admin", "audit-log"]);
  const search = platformAuditRoute.useSearch();
  const navigate = platformAuditRoute.useNavigate();
  const set = (changes: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...changes }, replace: true, resetScroll: false });
  const list = useInfiniteQuery(
    askPages("listPlatformAuditLog", {
      query: {
        ...(search.action === undefined ? {} : { action: search.action }),
        ...(search.organization === undefined ? {} : { organization_id: search.organization }),
        ...(search.actor === undefined ? {} : { actor_id: search.actor }),
        ...(search.subject === undefined ? {} : { subject_id: search.subject }),
      },
    }),
  );
  const rows = flat(list.data);
  const organization = useQuery({
    ...ask("getPlatformOrganization", { params: { organization_id: search.organization ?? "" } }),
    enabled: search.organization !== undefined,
  });
  const wordsOf = (entry: Entry) =>
    t([`audit-log:actions.${entry.action}`, `actions.${entry.action}`], {
      defaultValue: plainWords(entry.action),
    });
  const columns: Column<Entry>[] = [
    {
      id: "at",
      header: t("audit-log:columns.when"),
      width: 130,
      wide: true,
      cell: (entry) => <ListTime at={entry.at} />,
    },
    {
      id: "who",
      header: t("audit-log:columns.who"),
      wide: true,
      cell: (entry) => <Actor actor={entry.actor} />,
    },
    {
      id: "what",
      header: t("audit-log:columns.action"),
      whole: true,
      cell: (entry) => (
        <>
          <UnstyledButton onClick={() => set({ entry: entry.id })} fz="sm" fw={600}>
            {wordsOf(entry)}
          </UnstyledButton>
          <Text inherit c="dimmed" hiddenFrom="sm">
            <ActorName actor={entry.actor} /> · <ListTime at={entry.at} />
          </Text>
        </>
      ),
    },
    {
      id: "subject",
      header: t("audit-log:columns.target"),
      cell: (entry) => (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {entry.subject.name ?? entry.subject.id}
        </Text>
      ),
    },
    {
      id: "changes",
      header: t("audit-log:columns.changes"),
      wide: true,
      cell: (entry) => <ShortDifference entry={entry} />,
    },
  ];
  const opened = rows.find(({ id }) => id === search.entry) ?? null;
  return (
    <Page wide title={t("audit.title")} lead={t("audit.lead")}>
      <Stack gap="sm">
        <Group gap="xs">
          <Select
            w={280}
            aria-label={t("audit-log:filters.action")}
            placeholder={t("audit-log:filters.anyAction")}
            clearable
            searchable
            data={[
              {
                group: t("audit.inOrganizations"),
                items: actions.map((value) => ({ value, label: t(`audit-log:actions.${value}`) })),
              },
              {
                group: t("audit.onServer"),
                items: platformActions.map((value) => ({ value, label: t(`actions.${value}`) })),
              },
            ]}
            value={search.action ?? null}
            onChange={(action) => set({ action: action ?? undefined })}
          />
          {narrowing.map(
            (by) =>
              search[by] !== undefined && (
                <Pill
                  key={by}
                  size="md"
                  withRemoveButton
                  onRemove={() => set({ [by]: undefined })}
                  removeButtonProps={{ "aria-label": t("audit.clear") }}
                >
                  {t(`audit.${by}`)}:{" "}
                  {by === "organization"
                    ? (organization.data?.name ?? search.organization)
                    : nameOf(by, search[by], rows)}
                </Pill>
              ),
          )}
        </Group>
        <DataTable
          label={t("audit.title")}
          columns={columns}
          rows={rows}
          keyOf={(entry) => entry.id}
          isPending={list.isPending}
          error={list.error}
          isMarked={(entry) => entry.id === search.entry}
          empty={
            <Empty icon="audit" title={t("nothingFound")}>
              {t("audit.empty")}
            </Empty>
          }
          hasMore={list.hasNextPage}
          isFetchingMore={list.isFetchingNextPage}
          fetchMore={list.fetchNextPage}
        />
      </Stack>
      <Drawer
        opened={opened !== null}
        onClose={() => set({ entry: undefined })}
        position="right"
        size="lg"
        title={t("audit-log:entry.title")}
        closeButtonProps={{ "aria-label": t("everywhere:close") }}
      >
        {opened !== null && <EntryDetails entry={opened} title={wordsOf(opened)} narrow={set} />}
      </Drawer>
    </Page>
  );
}

/** The name, if a shown entry has it. */
function nameOf(by: "actor" | "subject", id: string | undefined, rows: readonly Entry[]): string {
  const name =
    by === "actor"
      ? rows.find(({ actor }) => actor.id === id)?.actor.name
      : rows.find(({ subject }) => subject.id === id)?.subject.name;
  return name ?? id ?? "";
}

interface EntryInFullProps {
  readonly entry: Entry;
  readonly title: string;
  readonly narrow: (to: { actor?: string; subject?: string; entry: undefined }) => void;
}

/** One entry in full, with links to the organization and related entries. */
function EntryDetails({ entry, title, narrow }: EntryInFullProps) {
  const { t, i18n } = useTranslation(["audit-log", "admin"]);
  const { id: actorId } = entry.actor;
  return (
    <Stack>
      <Title order={2}>{title}</Title>
      <Facts>
        <dt>{t("columns.who")}</dt>
        <dd>
          <Actor actor={entry.actor} />
        </dd>
        <dt>{t("columns.when")}</dt>
        <dd>{exactTime(entry.at, i18n.language)}</dd>
        <dt>{t("columns.target")}</dt>
        <dd>{entry.subject.name ?? entry.subject.id}</dd>
        {entry.organization_id !== null && (
          <>
            <dt>{t("admin:audit.organization")}</dt>
            <dd>
              <GoLink to={paths.platformOrganization(entry.organization_id)}>{t("admin:audit.open")}</GoLink>
            </dd>
          </>
        )}
        <dt>{t("columns.ip")}</dt>
        <dd>
          <Text component="span" inherit className="mono">
            {entry.ip ?? "–"}
          </Text>
        </dd>
      </Facts>
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => narrow({ subject: entry.subject.id, entry: undefined })}
        >
          {t("entry.onlyTarget")}
        </Button>
        {actorId !== null && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => narrow({ actor: actorId, entry: undefined })}
          >
            {t("entry.onlyActor")}
          </Button>
        )}
      </Group>
      <Difference entry={entry} />
    </Stack>
  );
}
