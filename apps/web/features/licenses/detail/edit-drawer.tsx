import { Button, Group, SimpleGrid, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { ask, useChange } from "../../../api/queries.ts";
import { SideDialog, useCloseDialog } from "../../../ui/dialog.tsx";
import { AreaField, Choice, SwitchField, TextField } from "../../../ui/fields.tsx";
import { Form } from "../../../ui/form.tsx";
import { type HelpTopic, ValidateHelp } from "../../../ui/help.tsx";
import { JsonField } from "../../../ui/json-field.tsx";
import { notify } from "../../../ui/notify.tsx";
import { NumberField } from "../../../ui/number-field.tsx";
import { fieldError } from "../../../ui/problem-alert.tsx";
import { TagsField } from "../../../ui/select-field.tsx";
import { EndField } from "../../../ui/time-fields.tsx";
import type { FormState } from "../../../ui/use-form.tsx";
import { FormProblem, useForm } from "../../../ui/use-form.tsx";
import { changesOf, type Draft, draftOf } from "./draft.ts";
import type { License } from "./license.ts";
import classes from "./license-page.module.css";

interface EditDrawerProps {
  readonly license: License;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Every field of a license. Changes made by someone else in the meantime are never overwritten silently. */
export function EditDrawer(props: EditDrawerProps) {
  const { t } = useTranslation("licenses");
  return (
    <SideDialog
      opened={props.opened}
      onClose={props.onClose}
      position="right"
      size="lg"
      title={t("edit.title")}
    >
      {props.opened && <EditForm {...props} />}
    </SideDialog>
  );
}

function EditForm({ license, onClose }: EditDrawerProps) {
  const { t } = useTranslation("licenses");
  const queries = useQueryClient();
  const update = useChange("updateLicense");
  const [updatedAt, setUpdatedAt] = useState(license.updated_at);
  const close = useCloseDialog();
  const params = { license_id: license.id };
  const form = useForm<Draft>({
    start: draftOf(license),
    send: async (draft) => {
      if (form.isChanged) {
        await update.mutateAsync({ params, body: { ...changesOf(form.base, draft), updated_at: updatedAt } });
        notify(t("done.saved"));
      }
      onClose();
    },
    reload: async () => {
      const now = await call("getLicense", { params });
      queries.setQueryData(ask("getLicense", { params }).queryKey, now);
      setUpdatedAt(now.updated_at);
      return draftOf(now);
    },
  });
  return (
    <Form {...form.props}>
      <Stack gap="xl">
        <EditFields form={form} license={license} />
        <Stack gap="sm" className={classes.foot ?? ""}>
          <FormProblem form={form} beside={["term_seconds"]} nameOf={(field) => t(`fields.${field}`)} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {t("everywhere:cancel")}
            </Button>
            <Button type="submit" loading={form.isBusy}>
              {t("everywhere:save")}
            </Button>
          </Group>
        </Stack>
      </Stack>
    </Form>
  );
}

interface EditFieldsProps {
  readonly form: FormState<Draft>;
  readonly license: License;
}

function EditFields({ form, license }: EditFieldsProps) {
  const { t } = useTranslation("licenses");
  const { values, field } = form;
  const named = <Name extends keyof Draft>(name: Name) => ({ ...field(name), label: t(`fields.${name}`) });
  return (
    <>
      <Part title={t("fields.customer")}>
        <TextField
          {...named("customer_email")}
          description={t("edit.emailHelp")}
          type="email"
          autoComplete="off"
          data-autofocus
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextField {...named("customer_name")} autoComplete="off" />
          <TextField {...named("customer_discord_id")} inputMode="numeric" autoComplete="off" />
        </SimpleGrid>
      </Part>
      <Part title={t("fields.expiry")} about="expiry">
        <Choice
          {...field("expiry")}
          label={t("edit.expiry")}
          values={
            license.first_used_at === null || values.expiry === "first_use" ? expiries : expiries.slice(0, 2)
          }
          words={(value) => t(`expiries.${value}`)}
        />
        {values.expiry === "date" && <EndField {...field("expires_at")} label={t("edit.until")} required />}
        {values.expiry === "first_use" && (
          <NumberField
            {...field("term_days")}
            error={fieldError(form.error, "term_seconds")}
            label={t("edit.termDays")}
            description={t("edit.termHelp")}
            min={0.01}
            max={36_500}
            required
          />
        )}
      </Part>
      <Part title={t("fields.max_ips")} about="ipLimit">
        <SwitchField {...named("ip_system_enabled")} description={t("edit.ipLimitHelp")} />
        <NumberField
          {...named("max_ips")}
          description={
            Number(values.max_ips) < license.current_unique_ip_count
              ? t("edit.limitBelowCount", { count: license.current_unique_ip_count })
              : undefined
          }
          min={1}
          max={1_000_000}
          allowDecimal={false}
          required
          disabled={!values.ip_system_enabled}
        />
      </Part>
      <Part title={t("fields.version")} about="versions">
        <Choice
          {...named("version_pin_mode")}
          values={["any", "pinned", "range"]}
          words={(value) => t(`versionChoices.${value}`)}
        />
        {values.version_pin_mode === "pinned" && (
          <TextField {...named("version_pinned")} placeholder="2.1.0" required autoComplete="off" />
        )}
        {values.version_pin_mode === "range" && (
          <SimpleGrid cols={2}>
            <TextField {...named("version_range_min")} placeholder="1.9.0" autoComplete="off" />
            <TextField {...named("version_range_max")} placeholder="3.0.0" autoComplete="off" />
          </SimpleGrid>
        )}
      </Part>
      <Part title={t("notesAndData")} about="customOverride">
        <TagsField {...named("tags")} description={t("fields.tagsHint")} />
        <AreaField {...named("notes")} description={t("fields.notesHint")} maxRows={12} />
        <JsonField {...named("metadata")} description={t("fields.metadataHint")} />
        <JsonField {...named("custom_override")} description={t("edit.overrideHelp")} />
      </Part>
    </>
  );
}

const expiries = ["lifetime", "date", "first_use"] as const;

interface PartProps {
  readonly title: string;
  /** The help topic about its effect on validate responses. */
  readonly about?: HelpTopic;
  readonly children: ReactNode;
}

/** A titled group of fields. */
function Part({ title, about, children }: PartProps) {
  return (
    <fieldset className={classes.fieldset}>
      <legend>{title}</legend>
      <Stack gap="sm">
        {children}
        {about !== undefined && <ValidateHelp about={about} />}
      </Stack>
    </fieldset>
  );
}
