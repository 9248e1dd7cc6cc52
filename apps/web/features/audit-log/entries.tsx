import { Badge, Button, Drawer, Group, Stack, Text, Title, Tooltip, UnstyledButton } from "@mantine/core";
import type { ComponentProps, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { type Column, List, type ListQuery } from "../../ui/list.tsx";
import { Fact, Facts } from "../../ui/section.tsx";
import { exactTime, ListTime } from "../../ui/time.tsx";
import classes from "./audit-log.module.css";
import { Difference, ShortDifference } from "./difference.tsx";
import type { Entry } from "./field-changes.ts";

/** How the log of an organization and that of the server show their entries. */
interface EntriesProps {
  readonly list: ListQuery<Entry>;
  readonly entries: readonly Entry[];
  readonly title: string;
  readonly empty: ComponentProps<typeof List>["empty"];
  /** The action, in words. */
  readonly actionOf: (entry: Entry) => string;
  readonly subjectOf: (entry: Entry) => ReactNode;
  /** Further columns. */
  readonly columns?: readonly Column<Entry>[];
  /** What is known of an entry besides who, when and the changes. */
  readonly factsOf: (entry: Entry) => ReactNode;
  /** The ID of the entry that is shown in full. */
  readonly openId: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
  /** Shows only entries with the same target or actor. */
  readonly onlyTarget: (entry: Entry) => void;
  readonly onlyActor: (actorId: string) => void;
}

/** The entries, newest first, and one of them in full. */
export function Entries(props: EntriesProps) {
  const { list, entries, title, empty, actionOf, subjectOf, columns = [], openId, onOpen } = props;
  const { t } = useTranslation("audit-log");
  return (
    <>
      <List
        label={title}
        list={list}
        columns={[
          { header: t("columns.when"), width: 130, wide: true, at: (entry) => entry.at },
          { header: t("columns.who"), wide: true, cell: (entry) => <Actor actor={entry.actor} /> },
          {
            header: t("columns.action"),
            whole: true,
            cell: (entry) => (
              <>
                <UnstyledButton className={classes.open ?? ""} onClick={() => onOpen(entry.id)}>
                  {actionOf(entry)}
                </UnstyledButton>
                <Text inherit c="dimmed" hiddenFrom="sm">
                  <ActorName actor={entry.actor} /> · <ListTime at={entry.at} />
                </Text>
              </>
            ),
          },
          {
            header: t("columns.target"),
            cell: (entry) => <div className={classes.subject}>{subjectOf(entry)}</div>,
          },
          {
            header: t("columns.changes"),
            wide: true,
            cell: (entry) => <ShortDifference entry={entry} />,
          },
          ...columns,
        ]}
        isMarked={(entry) => entry.id === openId}
        empty={empty}
      />
      <EntryDrawer {...props} entry={entries.find(({ id }) => id === openId) ?? null} />
    </>
  );
}

/** One entry in full: who, when, from where, and each changed field. */
function EntryDrawer({ entry, ...props }: EntriesProps & { readonly entry: Entry | null }) {
  const { actionOf, factsOf, onOpen, onlyTarget, onlyActor } = props;
  const { t, i18n } = useTranslation("audit-log");
  const actorId = entry?.actor.id ?? null;
  return (
    <Drawer
      opened={entry !== null}
      onClose={() => onOpen(undefined)}
      position="right"
      size="lg"
      title={t("entry.title")}
    >
      {entry !== null && (
        <Stack gap="lg">
          <Title order={2}>{actionOf(entry)}</Title>
          <Facts>
            <Fact name={t("columns.who")}>
              <Actor actor={entry.actor} />
            </Fact>
            <Fact name={t("columns.when")} className="figures">
              {exactTime(entry.at, i18n.language)}
            </Fact>
            {factsOf(entry)}
          </Facts>
          <Group gap="xs">
            <Button size="compact-sm" variant="default" onClick={() => onlyTarget(entry)}>
              {t("entry.onlyTarget")}
            </Button>
            {actorId !== null && (
              <Button size="compact-sm" variant="default" onClick={() => onlyActor(actorId)}>
                {t("entry.onlyActor")}
              </Button>
            )}
          </Group>
          <Difference entry={entry} />
        </Stack>
      )}
    </Drawer>
  );
}

/** The actor, and the access token if one was used. */
function Actor({ actor }: { actor: Entry["actor"] }) {
  const { t } = useTranslation("audit-log");
  const kind = actor.kind === "person" && actor.access_token_id !== null ? "by_token" : actor.kind;
  return (
    <Group gap="0 6px">
      <span>
        <ActorName actor={actor} />
      </span>
      {kind !== "person" && kind !== "system" && (
        <Tooltip label={t(`kindWords.${kind}`)}>
          <Badge variant="default" tabIndex={0}>
            {t(`kinds.${kind}`)}
          </Badge>
        </Tooltip>
      )}
    </Group>
  );
}

function ActorName({ actor }: { actor: Entry["actor"] }) {
  const { t } = useTranslation("audit-log");
  return actor.kind === "system" ? t("kinds.system") : actor.name;
}
