import { Button, Collapse, Group, Radio, Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { ValidateHelp } from "../../ui/help.tsx";
import { Icon } from "../../ui/icon.tsx";
import { JsonField, readObject } from "../../ui/json-field.tsx";
import { fieldError } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { type FieldsProps, foldedCount, type Pin } from "./new-draft.ts";

const here = [
  "license_key",
  "version_pinned",
  "version_range_min",
  "version_range_max",
  "notes",
  "tags",
  "metadata",
];

/** Less common fields, collapsed until opened or until one has an error. */
export function MoreFields(props: FieldsProps) {
  const { t } = useTranslation("licenses");
  const { error, draft } = props;
  const [isUnfolded, setUnfolded] = useState(false);
  const isRefused = error instanceof ApiProblem && error.errors.some(({ field }) => here.includes(field));
  const isWrong = isRefused || !readObject(draft.metadata).ok;
  const isOpen = isUnfolded || isWrong;
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
        {!isOpen && foldedCount(draft) > 0 && ` (${t("new.moreFilled", { count: foldedCount(draft) })})`}
      </Button>
      <Collapse expanded={isOpen}>
        <Stack pt="sm">
          <Section title={t("new.moreTitle")}>
            <Fields {...props} />
          </Section>
        </Stack>
      </Collapse>
    </div>
  );
}

function Fields({ draft, set, error }: FieldsProps) {
  const { t } = useTranslation("licenses");
  return (
    <Stack gap="sm">
      <TagsInput
        label={t("fields.tags")}
        description={t("fields.tagsHint")}
        value={[...draft.tags]}
        maxTags={20}
        maxLength={50}
        acceptValueOnBlur
        error={fieldError(error, "tags")}
        onChange={(tags) => set({ tags })}
      />
      <Textarea
        label={t("fields.notes")}
        description={t("fields.notesHint")}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={10_000}
        value={draft.notes}
        error={fieldError(error, "notes")}
        onChange={(event) => set({ notes: event.currentTarget.value })}
      />
      {draft.quantity === "one" && (
        <TextInput
          label={t("fields.customKey")}
          description={t("fields.customKeyHint")}
          classNames={{ input: "mono" }}
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          value={draft.licenseKey}
          error={fieldError(error, "license_key")}
          onChange={(event) => set({ licenseKey: event.currentTarget.value })}
        />
      )}
      <VersionFields draft={draft} set={set} error={error} />
      <JsonField
        label={t("fields.metadata")}
        description={t("fields.metadataHint")}
        placeholder={'{ "order": 1204 }'}
        value={draft.metadata}
        error={fieldError(error, "metadata")}
        onChange={(metadata) => set({ metadata })}
      />
    </Stack>
  );
}

function VersionFields({ draft, set, error }: FieldsProps) {
  const { t } = useTranslation("licenses");
  const version = (field: "pinned" | "rangeMin" | "rangeMax", name: string) => (
    <TextInput
      label={t(`fields.${name}`)}
      placeholder={field === "rangeMax" ? "3.0.0" : "2.1.3"}
      autoComplete="off"
      value={draft[field]}
      error={fieldError(error, name)}
      onChange={(event) => set({ [field]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <Radio.Group
        label={t("fields.version_pin_mode")}
        value={draft.pin}
        onChange={(pin) => set({ pin: pin as Pin })}
      >
        <Group gap="md" mt={6}>
          {(["any", "pinned", "range"] as const).map((pin) => (
            <Radio key={pin} value={pin} label={t(`versionChoices.${pin}`)} />
          ))}
        </Group>
      </Radio.Group>
      {draft.pin === "pinned" && version("pinned", "version_pinned")}
      {draft.pin === "range" && (
        <Group grow align="flex-start">
          {version("rangeMin", "version_range_min")}
          {version("rangeMax", "version_range_max")}
        </Group>
      )}
      {draft.pin !== "any" && <ValidateHelp about="versions" />}
    </>
  );
}
