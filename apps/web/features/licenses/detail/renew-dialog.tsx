import { addDuration, nominalMs, parseDuration } from "@countersign/domain/dates/duration";
import { NumberInput, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../../../api/queries.ts";
import { shownTimeZone } from "../../../i18n/shown-time-zone.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { Choice } from "../../../ui/fields.tsx";
import { notify } from "../../../ui/notify.tsx";
import { fieldError, ProblemAlert } from "../../../ui/problem-alert.tsx";
import { exactTime } from "../../../ui/time.tsx";
import { EndField, endMs, fromEnd, toEnd } from "../../../ui/time-fields.tsx";
import { ValidateHelp } from "../../../ui/validate-help.tsx";
import type { License } from "./license.ts";
import { spanText } from "./spans.ts";

interface RenewDialogProps {
  readonly license: License;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Renews a license, and previews the new expiry. */
export function RenewDialog(props: RenewDialogProps) {
  const { t } = useTranslation("licenses");
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t("renew.title")}>
      {props.opened && <RenewForm {...props} />}
    </Dialog>
  );
}

const lengths = ["P1M", "P3M", "P1Y", "days", "date"] as const;
type Length = (typeof lengths)[number];

function RenewForm({ license, onClose }: RenewDialogProps) {
  const { t, i18n } = useTranslation("licenses");
  const renew = useChange("renewLicense");
  const update = useChange("updateLicense");
  const [length, setLength] = useState<Length>("P1Y");
  const [days, setDays] = useState<number | string>(14);
  const [until, setUntil] = useState(toEnd(license.expires_at));
  const { expires_at: end, term_seconds: term } = license;
  const hasTermAhead = end === null && term !== null;
  const by = length === "date" ? null : length === "days" ? `P${days}D` : length;
  const submit = async () => {
    const params = { license_id: license.id };
    const body = by === null ? { expires_at: fromEnd(until) ?? "" } : { extend_by: by };
    try {
      await renew.mutateAsync({ params, body });
    } catch {
      return;
    }
    notify(t("done.renewed"), () =>
      update.mutateAsync({ params, body: end === null ? { term_seconds: term } : { expires_at: end } }),
    );
    onClose();
  };
  const preview = () => {
    const duration = by === null ? null : parseDuration(by);
    if (hasTermAhead && duration !== null)
      return t("renew.newTerm", {
        term: spanText((term ?? 0) + nominalMs(duration) / 1_000, i18n.language),
      });
    const fromMs = Math.max(end === null ? 0 : new Date(end).getTime(), Date.now());
    const atMs = duration === null ? endMs(until) : addDuration(fromMs, duration, shownTimeZone());
    return (by === null) !== (duration === null) || atMs === null
      ? null
      : t("renew.newExpiry", { time: exactTime(new Date(atMs).toISOString(), i18n.language) });
  };
  return (
    <DialogForm
      onSubmit={submit}
      typed={[length, days, until]}
      error={renew.error}
      isBusy={renew.isPending}
      action={t("actions.renew")}
      isActionFirst
    >
      <Text c="dimmed" size="sm">
        {t(
          hasTermAhead
            ? "renew.fromTerm"
            : license.status === "expired"
              ? "renew.fromNow"
              : "renew.fromExpiry",
        )}
      </Text>
      <ProblemAlert error={renew.error} beside={["expires_at", "extend_by"]} />
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
          allowDecimal={false}
          required
          value={days}
          onChange={setDays}
          error={fieldError(renew.error, "extend_by")}
        />
      )}
      {length === "date" && (
        <EndField
          label={t("renew.until")}
          required
          value={until}
          onChange={setUntil}
          error={fieldError(renew.error, "expires_at")}
        />
      )}
      <Text role="status">{preview()}</Text>
      <ValidateHelp about="expiry" />
    </DialogForm>
  );
}
