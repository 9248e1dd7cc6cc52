import { Button, Menu, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { type Answer, urlOf } from "../../api/client.ts";
import { askPages, flat } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Copyable } from "../../ui/copy.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ipClass } from "../../ui/ip-class.ts";
import type { PageLink } from "../../ui/links.tsx";
import { GoLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { Fact } from "../../ui/section.tsx";
import { shortDate } from "../../ui/time.tsx";
import { plainWords } from "./actions.ts";
import { AuditFilters, type AuditSearch, noFilters } from "./audit-filters.tsx";
import { Entries } from "./entries.tsx";
import type { Entry } from "./field-changes.ts";

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
  const isNarrowed = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page wide title={t("title")} lead={<Lead kept={kept} />} actions={<ExportMenu search={search} />}>
      <Stack gap="sm">
        <AuditFilters search={search} onChange={narrow} entries={entries} />
        <Entries
          list={list}
          entries={entries}
          title={t("title")}
          actionOf={(entry) => t(`actions.${entry.action}`, { defaultValue: plainWords(entry.action) })}
          subjectOf={(entry) => <Subject subject={entry.subject} action={entry.action} />}
          columns={[
            {
              header: t("columns.ip"),
              wide: true,
              cell: (entry) => <span className={ipClass(entry.ip ?? "")}>{entry.ip ?? ""}</span>,
            },
          ]}
          factsOf={(entry) => <EntryFacts entry={entry} />}
          openId={openId}
          onOpen={open}
          onlyTarget={({ subject }) =>
            narrow({ subject_kind: subject.kind, subject_id: subject.id, entry: undefined })
          }
          onlyActor={(actorId) => narrow({ actor_id: actorId, entry: undefined })}
          empty={
            isNarrowed
              ? {
                  icon: "filter",
                  title: t("nothingFound.title"),
                  words: t("nothingFound.words"),
                  action: (
                    <Button variant="default" onClick={() => narrow(noFilters)}>
                      {t("filters.clear")}
                    </Button>
                  ),
                }
              : { icon: "audit", title: t("empty.title"), words: t("empty.words") }
          }
        />
        {list.isSuccess && !list.hasNextPage && !isNarrowed && typeof kept?.complete_since === "string" && (
          <Dimmed ta="center">
            {t("completeSince", { date: shortDate(kept.complete_since, i18n.language) })}
          </Dimmed>
        )}
      </Stack>
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

/** Exports the filtered list, including entries that are not loaded yet. */
export function ExportMenu({ search }: { search: AuditSearch }) {
  const { t } = useTranslation("audit-log");
  const { id } = useOrganization();
  const { entry: _, ...filters } = search;
  const address = (format: "csv" | "jsonl") =>
    urlOf("exportAuditLog", { params: { organization_id: id }, query: { format, ...filters } });
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={15} />}>
          {t("export.do")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={address("csv")} download="audit-log.csv">
          {t("export.csv")}
        </Menu.Item>
        <Menu.Item component="a" href={address("jsonl")} download="audit-log.jsonl">
          {t("export.jsonl")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function EntryFacts({ entry }: { entry: Entry }) {
  const { t } = useTranslation("audit-log");
  return (
    <>
      <Fact name={t(`subjects.${entry.subject.kind}`, { defaultValue: plainWords(entry.subject.kind) })}>
        <Subject subject={entry.subject} action={entry.action} />
      </Fact>
      <Fact name={t("entry.targetId")}>
        <Copyable value={entry.subject.id} />
      </Fact>
      {entry.ip !== null && (
        <Fact name={t("columns.ip")}>
          <Copyable value={entry.ip} />
        </Fact>
      )}
      {entry.request_id !== null && (
        <Fact name={t("entry.request")}>
          <Copyable value={entry.request_id} />
        </Fact>
      )}
      <Fact name={t("entry.code")} className="mono">
        {entry.action}
      </Fact>
    </>
  );
}

/** The subject of an entry, as a link if it has a page that the user can see. */
export function Subject({ subject, action }: { subject: Entry["subject"]; action: string }) {
  const { t } = useTranslation("audit-log");
  const { slug } = useOrganization();
  const may = useMay();
  const kind = t(`subjects.${subject.kind}`, { defaultValue: plainWords(subject.kind) });
  const name = subject.name ?? kind;
  const page = action.endsWith(".deleted") ? null : pageOf(subject, slug, may);
  if (page === null) return <>{name}</>;
  return (
    <GoLink to={page} inherit aria-label={`${kind} ${name}`}>
      {name}
    </GoLink>
  );
}

function pageOf(
  { kind, id }: Entry["subject"],
  slug: string,
  may: ReturnType<typeof useMay>,
): PageLink | null {
  switch (kind) {
    case "license":
      return may("licenses:view") ? paths.license(slug, id) : null;
    case "product":
      return may("products:view", "products:manage") ? paths.product(slug, id) : null;
    case "customer":
      return may("customers:view", "customers:manage") ? paths.customer(slug, id) : null;
    case "webhook":
      return may("webhooks:view", "webhooks:manage") ? paths.webhook(slug, id) : null;
    case "member":
    case "invitation":
      return may("members:view") ? paths.members(slug) : null;
    case "role":
      return may("members:view", "roles:edit") ? paths.roles(slug) : null;
    case "access_token":
      return may("organization:manage") ? paths.accessTokens(slug) : null;
    default:
      return null;
  }
}
