import { addDuration, nominalMs, parseDuration } from "@countersign/domain/dates/duration";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useChange } from "../../../api/queries.ts";
import { shownTimeZone } from "../../../i18n/shown-time-zone.ts";
import { Dialog, DialogForm } from "../../../ui/dialog.tsx";
import { Choice } from "../../../ui/fields.tsx";
import { ValidateHelp } from "../../../ui/help.tsx";
import { notify } from "../../../ui/notify.tsx";
import { NumberField } from "../../../ui/number-field.tsx";
import { exactTime } from "../../../ui/time.tsx";
import { EndField, endMs, fromEnd, toEnd } from "../../../ui/time-fields.tsx";
import { FormProblem, useForm } from "../../../ui/use-form.tsx";
import type { License } from "./license.ts";
import { spanText } from "./license.ts";

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

interface RenewDraft {
  readonly length: (typeof lengths)[number];
  /** In days. */
  readonly extend_by: number | "";
  readonly expires_at: string;
}

function RenewForm({ license, onClose }: RenewDialogProps) {
  const { t, i18n } = useTranslation("licenses");
  const renew = useChange("renewLicense");
  const update = useChange("updateLicense");
  const { expires_at: end, term_seconds: term } = license;
  const form = useForm<RenewDraft>({
    start: { length: "P1Y", extend_by: 14, expires_at: toEnd(end) },
    send: async () => {
      const params = { license_id: license.id };
      const body = by === null ? { expires_at: fromEnd(until) ?? "" } : { extend_by: by };
      await renew.mutateAsync({ params, body });
      notify(t("done.renewed"), () =>
        update.mutateAsync({ params, body: end === null ? { term_seconds: term } : { expires_at: end } }),
      );
      onClose();
    },
  });
  const { length, extend_by: days, expires_at: until } = form.values;
  const hasTermAhead = end === null && term !== null;
  const by = length === "date" ? null : length === "days" ? `P${days}D` : length;
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
    <DialogForm {...form.props} action={t("actions.renew")} isActionFirst>
      <Text c="dimmed" size="sm">
        {t(
          hasTermAhead
            ? "renew.fromTerm"
            : license.status === "expired"
              ? "renew.fromNow"
              : "renew.fromExpiry",
        )}
      </Text>
      <FormProblem form={form} />
      <Choice
        {...form.field("length")}
        label={t("renew.by")}
        values={lengths.filter((value) => value !== "date" || !hasTermAhead)}
        words={(value) => t(`renew.choices.${value}`)}
      />
      {length === "days" && (
        <NumberField
          {...form.field("extend_by")}
          label={t("renew.days")}
          min={1}
          max={36_500}
          allowDecimal={false}
          required
        />
      )}
      {length === "date" && <EndField {...form.field("expires_at")} label={t("renew.until")} required />}
      <Text role="status">{preview()}</Text>
      <ValidateHelp about="expiry" />
    </DialogForm>
  );
}
