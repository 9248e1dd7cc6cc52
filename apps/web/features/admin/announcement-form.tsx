import { Input, SimpleGrid } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { AnnouncementBar } from "../../ui/announcement-bar.tsx";
import { DialogForm } from "../../ui/dialog.tsx";
import { AreaField, Choice, TextField } from "../../ui/fields.tsx";
import { notify } from "../../ui/notify.tsx";
import { DateTimeField, fromLocal, toLocal } from "../../ui/time-fields.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";

interface AnnouncementFormProps {
  /** Null for a new one. */
  readonly announcement: Item<"listPlatformAnnouncements"> | null;
  readonly onSaved: () => void;
}

const levels = ["info", "warning"] as const;

export function AnnouncementForm({ announcement, onSaved }: AnnouncementFormProps) {
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
