import { Button, Group, Modal, NumberInput, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../api/queries.ts";
import { Choice } from "../../ui/choice.tsx";
import { DateTimeField, fromLocal, toLocal } from "../../ui/date-time-field.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { tell } from "../../ui/tell.tsx";
import { exactTime } from "../../ui/time.tsx";
import { inSeconds, spanWords } from "./days.ts";
import { type License, touched } from "./license.ts";

interface RenewDialogProps {
  readonly license: License;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Lets a license run longer, and says until when before it is done. */
export function RenewDialog(props: RenewDialogProps) {
  const { t } = useTranslation("licenses-page");
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={t("renew.title")}>
      {props.opened && <RenewForm {...props} />}
    </Modal>
  );
}

const lengths = ["30", "90", "365", "days", "date"] as const;
type Length = (typeof lengths)[number];

function RenewForm({ license, onClose }: RenewDialogProps) {
  const { t, i18n } = useTranslation("licenses-page");
  const renew = useChange("renewLicense", touched);
  const update = useChange("updateLicense", touched);
  const [length, setLength] = useState<Length>("365");
  const [days, setDays] = useState<number | string>(14);
  const [until, setUntil] = useState(toLocal(license.expires_at));
  const { expires_at: end, term_seconds: term } = license;
  const hasTermAhead = end === null && term !== null;
  const bySeconds = length === "date" ? null : inSeconds(Number(length === "days" ? days : length));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const params = { license_id: license.id };
    const body =
      bySeconds === null ? { expires_at: fromLocal(until) ?? "" } : { extend_by_seconds: bySeconds };
    try {
      await renew.mutateAsync({ params, body });
    } catch {
      return;
    }
    tell(t("told.renewed"), () =>
      update.mutateAsync({ params, body: end === null ? { term_seconds: term } : { expires_at: end } }),
    );
    onClose();
  };
  const preview = () => {
    if (hasTermAhead && bySeconds !== null)
      return t("renew.longerTerm", { term: spanWords((term ?? 0) + bySeconds, i18n.language) });
    const atMs =
      bySeconds === null
        ? new Date(fromLocal(until) ?? Number.NaN).getTime()
        : Math.max(end === null ? 0 : new Date(end).getTime(), Date.now()) + bySeconds * 1_000;
    const date = new Date(atMs);
    return Number.isNaN(date.getTime())
      ? null
      : t("renew.then", { time: exactTime(date.toISOString(), i18n.language) });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text c="dimmed" size="sm">
          {t(
            hasTermAhead
              ? "renew.fromTerm"
              : license.status === "expired"
                ? "renew.fromNow"
                : "renew.fromEnd",
          )}
        </Text>
        <ProblemAlert error={renew.error} beside={["expires_at", "extend_by_seconds"]} />
        <Choice
          label={t("renew.by")}
          values={lengths.filter((value) => value !== "date" || !hasTermAhead)}
          words={(value) => t(`renew.choices.${value}`)}
          value={length}
          onChange={setLength}
        />
        {length === "days" && (
          <NumberInput
            label={t("renew.days")}
            min={1}
            max={36_500}
            required
            value={days}
            onChange={setDays}
            error={fieldError(renew.error, "extend_by_seconds")}
          />
        )}
        {length === "date" && (
          <DateTimeField
            label={t("renew.until")}
            required
            value={until}
            onChange={setUntil}
            error={fieldError(renew.error, "expires_at")}
          />
        )}
        <Text role="status">{preview()}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t("everywhere:cancel")}
          </Button>
          <Button type="submit" loading={renew.isPending} data-autofocus>
            {t("deeds.renew")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
