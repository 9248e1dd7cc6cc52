import { ActionIcon, Anchor, Button, Group, Input, SimpleGrid, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { askPages, useChange } from "../../api/queries.ts";
import { AnnouncementBar } from "../../ui/announcement-bar.tsx";
import { Dialog, DialogForm } from "../../ui/dialog.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { AreaField, Choice, TextField } from "../../ui/fields.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ListPage } from "../../ui/list.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { ListTime } from "../../ui/time.tsx";
import { DateTimeField, fromLocal, toLocal } from "../../ui/time-fields.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";

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
                aria-label={t("announcements.edit", { message: row.message })}
                onClick={() => setEdited(row)}
              >
                <Icon name="edit" size={16} />
              </ActionIcon>
              <ActionIcon
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

interface Span {
  readonly starts_at: string;
  readonly ends_at: string | null;
}

/** Whether an announcement is shown now, will be, or was. */
export function phaseOf({ starts_at, ends_at }: Span, nowMs: number): "planned" | "shown" | "over" {
  if (ends_at !== null && Date.parse(ends_at) <= nowMs) return "over";
  return Date.parse(starts_at) > nowMs ? "planned" : "shown";
}

interface AnnouncementFormProps {
  /** Null for a new one. */
  readonly announcement: Item<"listPlatformAnnouncements"> | null;
  readonly onSaved: () => void;
}

const levels = ["info", "warning"] as const;

function AnnouncementForm({ announcement, onSaved }: AnnouncementFormProps) {
  const { t } = useTranslation("admin");
  const create = useChange("createAnnouncement");
  const update = useChange("updateAnnouncement");
  const saved = {
    level: announcement?.level ?? "info",
    message: announcement?.message ?? "",
    url: announcement?.url ?? "",
    starts_at: toLocal(announcement?.starts_at ?? null),
    ends_at: toLocal(announcement?.ends_at ?? null),
  };
  const form = useForm({
    start: saved,
    send: async ({ url, starts_at: start, ends_at: end, ...texts }) => {
      const startsAt = fromLocal(start);
      const body = {
        ...texts,
        url: url.trim() === "" ? null : url.trim(),
        // A field has no seconds, so that an unchanged time is not sent.
        ...(startsAt === null || start === saved.starts_at ? {} : { starts_at: startsAt }),
        ...(end === saved.ends_at ? {} : { ends_at: fromLocal(end) }),
      };
      if (announcement === null) await create.mutateAsync({ body });
      else await update.mutateAsync({ params: { announcement_id: announcement.id }, body });
      notify(t(announcement === null ? "announcements.created" : "announcements.saved"));
      onSaved();
    },
  });
  const { level, message, url } = form.values;
  return (
    <DialogForm {...form.props} action={t(announcement === null ? "announcements.do" : "everywhere:save")}>
      <FormProblem form={form} />
      <Choice
        {...form.field("level")}
        label={t("announcements.level")}
        values={levels}
        words={(value) => t(`announcements.levels.${value}`)}
      />
      <AreaField
        {...form.field("message")}
        label={t("announcements.message")}
        description={t("announcements.messageWords")}
        required
        data-autofocus
        maxLength={500}
      />
      <TextField
        {...form.field("url")}
        label={t("announcements.url")}
        description={t("announcements.urlWords")}
        placeholder="https://status.example.com"
        inputMode="url"
        autoComplete="off"
        maxLength={2_000}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <DateTimeField
          {...form.field("starts_at")}
          label={t("announcements.start")}
          description={t(announcement === null ? "announcements.startWords" : "announcements.startKept")}
          inputWrapperOrder={["label", "input", "description", "error"]}
        />
        <DateTimeField
          {...form.field("ends_at")}
          label={t("announcements.end")}
          description={t("announcements.endWords")}
          inputWrapperOrder={["label", "input", "description", "error"]}
        />
      </SimpleGrid>
      {message.trim() !== "" && (
        <Input.Wrapper label={t("announcements.preview")} labelElement="div">
          <AnnouncementBar level={level} message={message.trim()} url={url.trim() || null} />
        </Input.Wrapper>
      )}
    </DialogForm>
  );
}
