import { ActionIcon, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { askPages, useChange } from "../../api/queries.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ListPage } from "../../ui/list.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { ListTime } from "../../ui/time.tsx";
import { AnnouncementForm } from "./announcement-form.tsx";
import { phaseOf } from "./announcement-phase.ts";

type Announcement = Item<"listPlatformAnnouncements">;

/** What the operator says to everyone who uses the dashboard. */
export function AnnouncementsPage() {
  const { t } = useTranslation("admin");
  const list = useInfiniteQuery(askPages("listPlatformAnnouncements"));
  const [edited, setEdited] = useState<Announcement | "new" | null>(null);
  const create = useChange("createAnnouncement");
  const remove = useChange("deleteAnnouncement");
  const erase = (row: Announcement) =>
    remove.mutate(
      { params: { announcement_id: row.id } },
      {
        onSuccess: () => {
          const { level, message, url, starts_at, ends_at } = row;
          notify(t("announcements.deleted"), () =>
            create.mutateAsync({ body: { level, message, url, starts_at, ends_at } }),
          );
        },
        onError: notifyProblem,
      },
    );
  const button = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setEdited("new")}>
      {t("announcements.new")}
    </Button>
  );
  return (
    <ListPage
      title={t("announcements.title")}
      lead={t("announcements.lead")}
      actions={button}
      list={list}
      columns={[
        {
          header: t("announcements.message"),
          cell: (row) => (
            <Stack gap={2} miw={0}>
              <Group gap={6}>
                <Phase row={row} />
                <Dimmed size="xs">{t(`announcements.levels.${row.level}`)}</Dimmed>
              </Group>
              <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
                {row.message}
              </Text>
              {row.url !== null && (
                <Anchor
                  href={row.url}
                  target="_blank"
                  rel="noopener noreferrer"
                  size="xs"
                  style={{ overflowWrap: "anywhere" }}
                >
                  {row.url}
                </Anchor>
              )}
            </Stack>
          ),
        },
        { header: t("announcements.start"), wide: true, width: 150, at: (row) => row.starts_at },
        {
          header: t("announcements.end"),
          wide: true,
          width: 150,
          cell: (row) => (row.ends_at === null ? t("announcements.noEnd") : <ListTime at={row.ends_at} />),
        },
        {
          header: t("announcements.actions"),
          isHeaderHidden: true,
          align: "right",
          width: 90,
          cell: (row) => (
            <Group gap={4} wrap="nowrap" justify="flex-end">
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t("announcements.edit", { message: row.message })}
                onClick={() => setEdited(row)}
              >
                <Icon name="edit" size={16} />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t("announcements.delete", { message: row.message })}
                loading={remove.isPending && remove.variables?.params?.announcement_id === row.id}
                onClick={() => erase(row)}
              >
                <Icon name="trash" size={16} />
              </ActionIcon>
            </Group>
          ),
        },
      ]}
      empty={{
        icon: "info",
        title: t("announcements.empty"),
        words: t("announcements.emptyWords"),
        action: button,
      }}
    >
      <Dialog
        opened={edited !== null}
        onClose={() => setEdited(null)}
        size="lg"
        title={t(edited === "new" ? "announcements.newTitle" : "announcements.editTitle")}
      >
        {edited !== null && (
          <AnnouncementForm announcement={edited === "new" ? null : edited} onSaved={() => setEdited(null)} />
        )}
      </Dialog>
    </ListPage>
  );
}

function Phase({ row }: { row: Announcement }) {
  const { t } = useTranslation("admin");
  const phase = phaseOf(row, Date.now());
  return (
    <StateMark tone={phase === "shown" ? "good" : phase === "planned" ? "wait" : "off"}>
      {t(`announcements.phases.${phase}`)}
    </StateMark>
  );
}
