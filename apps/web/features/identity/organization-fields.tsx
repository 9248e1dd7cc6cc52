import { timeZoneName } from "@countersign/domain/dates/time-zone";
import { slugOf } from "@countersign/domain/organizations/slug";
import { TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../api/problem.ts";
import { browserTimeZone } from "../../i18n/shown-time-zone.ts";
import { TextField } from "../../ui/fields.tsx";
import type { FormState } from "../../ui/use-form.tsx";

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

/** A name, and the slug for URLs. */
export function OrganizationFields({ form }: { readonly form: FormState<OrganizationDraft> }) {
  const { t } = useTranslation("identity");
  const { name, slug } = form.values;
  const shown = slug ?? (name.trim() === "" ? "" : slugOf(name));
  const isTaken = form.error instanceof ApiProblem && form.error.code === "slug_taken";
  return (
    <>
      <TextField
        {...form.field("name")}
        label={t("organization.name")}
        placeholder={t("organization.example")}
        required
        withAsterisk={false}
        autoFocus
        maxLength={100}
        autoComplete="organization"
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
          const typed = event.currentTarget.value.toLowerCase();
          form.set({ slug: typed === "" ? null : typed });
        }}
        error={isTaken ? t("organization.taken") : form.field("slug").error}
      />
    </>
  );
}
