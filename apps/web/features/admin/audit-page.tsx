import { Group, Pill, Select, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask, askPages, flat } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { GoLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { Fact } from "../../ui/section.tsx";
import { actions, plainWords } from "../audit-log/actions.ts";
import { Entries } from "../audit-log/entries.tsx";
import type { Entry } from "../audit-log/field-changes.ts";

const platformAuditRoute = getRouteApi("/signed-in/admin/admin-layout/audit-log");

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
        action: search.action,
        organization_id: search.organization,
        actor_id: search.actor,
        subject_id: search.subject,
      },
    }),
  );
  const rows = flat(list.data);
  const organization = useQuery({
    ...ask("getPlatformOrganization", { params: { organization_id: search.organization ?? "" } }),
    enabled: search.organization !== undefined,
  });
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
        <Entries
          list={list}
          entries={rows}
          title={t("audit.title")}
          actionOf={(entry) =>
            t([`audit-log:actions.${entry.action}`, `actions.${entry.action}`], {
              defaultValue: plainWords(entry.action),
            })
          }
          subjectOf={({ subject }) => subject.name ?? subject.id}
          factsOf={(entry) => <EntryFacts entry={entry} />}
          openId={search.entry}
          onOpen={(entry) => set({ entry })}
          onlyTarget={(entry) => set({ subject: entry.subject.id, entry: undefined })}
          onlyActor={(actor) => set({ actor, entry: undefined })}
          empty={{ icon: "audit", title: t("nothingFound"), words: t("audit.empty") }}
        />
      </Stack>
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

/** What the entry is about, with a link to the organization. */
function EntryFacts({ entry }: { entry: Entry }) {
  const { t } = useTranslation(["audit-log", "admin"]);
  return (
    <>
      <Fact name={t("columns.target")}>{entry.subject.name ?? entry.subject.id}</Fact>
      {entry.organization_id !== null && (
        <Fact name={t("admin:audit.organization")}>
          <GoLink to={paths.platformOrganization(entry.organization_id)}>{t("admin:audit.open")}</GoLink>
        </Fact>
      )}
      <Fact name={t("columns.ip")}>
        <Text component="span" inherit className="mono">
          {entry.ip ?? "–"}
        </Text>
      </Fact>
    </>
  );
}

/** Actions that occur only in the platform's audit log. */
const platformActions = [
  "person.set_up",
  "person.signed_up",
  "person.updated",
  "person.email_change_requested",
  "person.email_changed",
  "person.password_changed",
  "person.password_reset",
  "person.passkey_added",
  "person.passkey_removed",
  "person.second_factor_enabled",
  "person.second_factor_disabled",
  "person.recovery_codes_renewed",
  "person.account_linked",
  "person.account_unlinked",
  "person.session_ended",
  "person.sessions_ended",
  "user.created",
  "user.password_link_created",
  "user.updated",
  "user.suspended",
  "user.restored",
  "organization.deleted",
  "platform.updated",
  "plan.updated",
  "announcement.created",
  "announcement.updated",
  "announcement.deleted",
] as const;
