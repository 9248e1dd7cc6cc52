import { timeZoneName } from "@countersign/domain/dates/time-zone";
import { slugOf } from "@countersign/domain/organizations/slug";
import { TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { browserTimeZone } from "../../i18n/shown-time-zone.ts";
import { fieldError } from "../../ui/problem-alert.tsx";

interface OrganizationDraft {
  readonly name: string;
  /** Null while it follows the name; the server then finds a free one. */
  readonly slug: string | null;
}

export const noOrganization: OrganizationDraft = { name: "", slug: null };

export function bodyOf({ name, slug }: OrganizationDraft) {
  const zone = browserTimeZone();
  return {
    name,
    ...(slug === null ? {} : { slug }),
    // It can be changed in the settings. Some browsers do not reveal a time zone.
    ...(timeZoneName(zone) === null ? {} : { time_zone: zone }),
  };
}

interface OrganizationFieldsProps {
  readonly draft: OrganizationDraft;
  readonly onChange: (draft: OrganizationDraft) => void;
  readonly error: Error | null;
}

/** A name, and the slug for URLs. */
export function OrganizationFields({ draft, onChange, error }: OrganizationFieldsProps) {
  const { t } = useTranslation("identity");
  const shown = draft.slug ?? (draft.name.trim() === "" ? "" : slugOf(draft.name));
  const isTaken = error instanceof ApiProblem && error.code === "slug_taken";
  return (
    <>
      <TextInput
        label={t("organization.name")}
        placeholder={t("organization.example")}
        required
        withAsterisk={false}
        autoFocus
        maxLength={100}
        autoComplete="organization"
        value={draft.name}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        error={fieldError(error, "name")}
      />
      <TextInput
        label={t("organization.slug")}
        description={`${location.host}/o/${shown === "" ? "…" : shown}`}
        inputWrapperOrder={["label", "input", "error", "description"]}
        classNames={{ input: "mono" }}
        autoComplete="off"
        spellCheck={false}
        maxLength={48}
        value={shown}
        onChange={(event) => {
          const slug = event.currentTarget.value.toLowerCase();
          onChange({ ...draft, slug: slug === "" ? null : slug });
        }}
        error={isTaken ? t("organization.taken") : fieldError(error, "slug")}
      />
    </>
  );
}
