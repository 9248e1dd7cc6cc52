import { Input, SimpleGrid, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { AnnouncementBar } from "../../ui/announcement-bar.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { Choice } from "../../ui/fields.tsx";
import { notify } from "../../ui/notify.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { DateTimeField, fromLocal, toLocal } from "../../ui/time-fields.tsx";

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
  const [level, setLevel] = useState(announcement?.level ?? "info");
  const [message, setMessage] = useState(announcement?.message ?? "");
  const [url, setUrl] = useState(announcement?.url ?? "");
  const savedStart = toLocal(announcement?.starts_at ?? null);
  const savedEnd = toLocal(announcement?.ends_at ?? null);
  const [start, setStart] = useState(savedStart);
  const [end, setEnd] = useState(savedEnd);
  const error = create.error ?? update.error;
  const submit = async () => {
    const texts = { level, message, url: url.trim() === "" ? null : url.trim() };
    const startsAt = fromLocal(start);
    // A field has no seconds, so that an unchanged time is not sent.
    const times = {
      ...(startsAt === null || start === savedStart ? {} : { starts_at: startsAt }),
      ...(end === savedEnd ? {} : { ends_at: fromLocal(end) }),
    };
    try {
      if (announcement === null) await create.mutateAsync({ body: { ...texts, ...times } });
      else
        await update.mutateAsync({
          params: { announcement_id: announcement.id },
          body: { ...texts, ...times },
        });
    } catch {
      // The error is shown in the form.
      return;
    }
    notify(t(announcement === null ? "announcements.created" : "announcements.saved"));
    onSaved();
  };
  return (
    <DialogForm
      onSubmit={submit}
      typed={[level, message, url, start, end]}
      error={error}
      isBusy={create.isPending || update.isPending}
      action={t(announcement === null ? "announcements.do" : "everywhere:save")}
    >
      <ProblemAlert error={error} beside={["message", "url", "starts_at", "ends_at"]} />
      <Choice
        label={t("announcements.level")}
        values={levels}
        words={(value) => t(`announcements.levels.${value}`)}
        value={level}
        onChange={setLevel}
      />
      <Textarea
        label={t("announcements.message")}
        description={t("announcements.messageWords")}
        required
        data-autofocus
        autosize
        minRows={2}
        maxLength={500}
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
        error={fieldError(error, "message")}
      />
      <TextInput
        label={t("announcements.url")}
        description={t("announcements.urlWords")}
        placeholder="https://status.example.com"
        inputMode="url"
        autoComplete="off"
        maxLength={2_000}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        error={fieldError(error, "url")}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <DateTimeField
          label={t("announcements.start")}
          description={t(announcement === null ? "announcements.startWords" : "announcements.startKept")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          value={start}
          onChange={setStart}
          error={fieldError(error, "starts_at")}
        />
        <DateTimeField
          label={t("announcements.end")}
          description={t("announcements.endWords")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          value={end}
          onChange={setEnd}
          error={fieldError(error, "ends_at")}
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
