import { Button, Collapse, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { AreaField, Choice, SwitchField, TextField } from "../../ui/fields.tsx";
import { ValidateHelp } from "../../ui/help.tsx";
import { Icon } from "../../ui/icon.tsx";
import { JsonField, readObject } from "../../ui/json-field.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { fieldError } from "../../ui/problem-alert.tsx";
import { RadioField } from "../../ui/radio-field.tsx";
import { Section } from "../../ui/section.tsx";
import { TagsField } from "../../ui/select-field.tsx";
import { EndField } from "../../ui/time-fields.tsx";
import type { FormState } from "../../ui/use-form.tsx";
import { exactUnits, units } from "./bulk-actions.ts";
import { TermFields } from "./bulk-fields.tsx";
import {
  collapsedFields,
  emailsOf,
  expiries,
  expiryChosen,
  filledCount,
  type NewDraft,
  pins,
  quantities,
} from "./new-draft.ts";

interface FieldsProps {
  readonly form: FormState<NewDraft>;
}

/** The customers of the new licenses, and the number of licenses. */
export function CustomerFields({ form }: FieldsProps) {
  const { t } = useTranslation("licenses");
  const { quantity } = form.values;
  return (
    <Stack gap="sm">
      <Choice
        {...form.field("quantity")}
        label={t("new.quantity")}
        values={quantities}
        words={(value) => t(`new.quantities.${value}`)}
      />
      {quantity === "list" ? (
        <EmailList form={form} />
      ) : (
        <>
          {quantity === "several" && (
            <NumberField
              {...form.field("count")}
              label={t("new.count")}
              min={1}
              max={10_000}
              allowDecimal={false}
              thousandSeparator=" "
              required
            />
          )}
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
            <TextField
              {...form.field("customer_email")}
              label={t("fields.customer_email")}
              type="email"
              placeholder="ada@example.com"
              autoComplete="off"
              autoFocus
            />
            <TextField
              {...form.field("customer_name")}
              label={t("fields.customer_name")}
              autoComplete="off"
            />
          </SimpleGrid>
          <TextField
            {...form.field("customer_discord_id")}
            label={t("fields.customer_discord_id")}
            description={t("new.discordHint")}
            inputMode="numeric"
            autoComplete="off"
          />
        </>
      )}
    </Stack>
  );
}

function EmailList({ form }: FieldsProps) {
  const { t } = useTranslation("licenses");
  const emails = emailsOf(form.values.emails);
  const twice = emails.length - new Set(emails.map((email) => email.toLowerCase())).size;
  return (
    <div>
      <AreaField
        {...form.field("emails")}
        label={t("new.emails")}
        description={t("new.emailsHint")}
        placeholder={"ada@example.com\ngrace@example.com"}
        minRows={5}
        maxRows={14}
        spellCheck={false}
        autoFocus
        required
        error={wrongEmails(form.error, emails)}
      />
      <Text size="sm" c="dimmed" mt={4} role="status">
        {t("new.emailCount", { count: emails.length })}
        {twice > 0 && ` ${t("new.emailsTwice", { count: twice })}`}
      </Text>
    </div>
  );
}

/** The server names the place of an email address in the list. */
const placeInList = /^licenses\.(\d+)\.customer_email$/;

/** The errors that the list of email addresses shows. */
export function listErrors(error: Error | null) {
  return error instanceof ApiProblem ? error.errors.filter(({ field }) => placeInList.test(field)) : [];
}

/** Users look for the email address, not for its place. */
function wrongEmails(error: Error | null, emails: readonly string[]): string | null {
  const lines = listErrors(error).map(
    ({ field, message }) => `${emails[Number(placeInList.exec(field)?.[1])] ?? ""}: ${message}`,
  );
  return lines.length === 0 ? null : lines.slice(0, 5).join("\n");
}

/** The expiry and the IP limit of a license. */
export function TermsFields({ form }: FieldsProps) {
  const { t } = useTranslation("licenses");
  const { expiry, ip_system_enabled: hasLimit } = form.values;
  return (
    <Stack gap="sm">
      <RadioField
        label={t("columns.expires")}
        values={expiries}
        words={(value) => t(`expiries.${value}`)}
        value={expiry}
        onChange={(value) => form.set(expiryChosen(form.values, value))}
      />
      {expiry === "date" && (
        <EndField {...form.field("expires_at")} label={t("fields.expires_at")} required />
      )}
      {(expiry === "from_now" || expiry === "first_use") && (
        <TermFields
          label={t("fields.term")}
          amount={form.field("amount")}
          unit={form.field("unit")}
          units={expiry === "first_use" ? exactUnits : units}
          error={fieldError(form.error, "expires_in") ?? fieldError(form.error, "term_seconds")}
        />
      )}
      {expiry !== "lifetime" && <ValidateHelp about="expiry" />}
      <SwitchField
        {...form.field("ip_system_enabled")}
        mt="xs"
        label={t("fields.ip_system_enabled")}
        description={t("new.ipSystemHint")}
      />
      {hasLimit && (
        <>
          <NumberField
            {...form.field("max_ips")}
            label={t("fields.max_ips")}
            min={1}
            max={1_000_000}
            allowDecimal={false}
            required
            maw={220}
          />
          <ValidateHelp about="ipLimit" />
        </>
      )}
    </Stack>
  );
}

/** Less common fields, collapsed until opened or until one has an error. */
export function MoreFields({ form }: FieldsProps) {
  const { t } = useTranslation("licenses");
  const [isUnfolded, setUnfolded] = useState(false);
  const isRefused = collapsedFields.some((name) => form.field(name).error != null);
  const isOpen = isUnfolded || isRefused || !readObject(form.values.metadata).ok;
  const count = filledCount(form.values);
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        aria-expanded={isOpen}
        h="auto"
        styles={{ label: { whiteSpace: "normal", textAlign: "left" } }}
        leftSection={<Icon name={isOpen ? "down" : "right"} size={14} />}
        onClick={() => setUnfolded(!isOpen)}
      >
        {t("new.more")}
        {!isOpen && count > 0 && ` (${t("new.moreFilled", { count })})`}
      </Button>
      <Collapse expanded={isOpen}>
        <Stack pt="sm">
          <Section title={t("new.moreTitle")}>
            <OptionalFields form={form} />
          </Section>
        </Stack>
      </Collapse>
    </div>
  );
}

function OptionalFields({ form }: FieldsProps) {
  const { t } = useTranslation("licenses");
  return (
    <Stack gap="sm">
      <TagsField
        {...form.field("tags")}
        label={t("fields.tags")}
        description={t("fields.tagsHint")}
        maxLength={50}
        acceptValueOnBlur
      />
      <AreaField
        {...form.field("notes")}
        label={t("fields.notes")}
        description={t("fields.notesHint")}
        maxRows={10}
        maxLength={10_000}
      />
      {form.values.quantity === "one" && (
        <TextField
          {...form.field("license_key")}
          label={t("fields.customKey")}
          description={t("fields.customKeyHint")}
          classNames={{ input: "mono" }}
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <VersionFields form={form} />
      <JsonField
        {...form.field("metadata")}
        label={t("fields.metadata")}
        description={t("fields.metadataHint")}
        placeholder={'{ "order": 1204 }'}
      />
    </Stack>
  );
}

function VersionFields({ form }: FieldsProps) {
  const { t } = useTranslation("licenses");
  const { version_pin_mode: mode } = form.values;
  const version = (name: "version_pinned" | "version_range_min" | "version_range_max") => (
    <TextField
      {...form.field(name)}
      label={t(`fields.${name}`)}
      placeholder={name === "version_range_max" ? "3.0.0" : "2.1.3"}
      autoComplete="off"
    />
  );
  return (
    <>
      <RadioField
        {...form.field("version_pin_mode")}
        label={t("fields.version_pin_mode")}
        values={pins}
        words={(value) => t(`versionChoices.${value}`)}
      />
      {mode === "pinned" && version("version_pinned")}
      {mode === "range" && (
        <Group grow align="flex-start">
          {version("version_range_min")}
          {version("version_range_max")}
        </Group>
      )}
      {mode !== "any" && <ValidateHelp about="versions" />}
    </>
  );
}
