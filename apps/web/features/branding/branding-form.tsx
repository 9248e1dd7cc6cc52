import { Alert, Select, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { type Language, languages } from "../../i18n/languages.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { SaveForm } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { ChangedMeanwhile } from "../../ui/use-form.tsx";
import { AccentField } from "./accent-field.tsx";
import { type Branding, type BrandingDraft, changesOf, draftOf, filledLinks } from "./branding-draft.ts";
import { LinkFields } from "./link-fields.tsx";

interface BrandingFormProps {
  readonly draft: BrandingDraft;
  readonly basis: Branding;
  readonly onChange: (changes: Partial<BrandingDraft>) => void;
  readonly onSaved: (branding: Branding) => void;
  /** Someone else saved first; the user's input stays. */
  readonly onReloaded: (branding: Branding) => void;
}

/** Everything but the logo, saved together. */
export function BrandingForm({ draft, basis, onChange, onSaved, onReloaded }: BrandingFormProps) {
  const { t } = useTranslation("branding");
  const organization = useOrganization();
  const params = { organization_id: organization.id };
  const base = draftOf(basis);
  const save = useMutation({
    mutationFn: () =>
      call("updateBranding", {
        params,
        body: { ...changesOf(draft, base), updated_at: basis.updated_at },
      }),
    onSuccess: (saved) => {
      setReloaded(false);
      notify(t("saved"));
      onSaved(saved);
    },
  });
  const [isReloaded, setReloaded] = useState(false);
  const { error } = save;
  const isOld = error instanceof ApiProblem && error.code === "changed_meanwhile";
  const reload = async () => {
    onReloaded(await call("getBranding", { params }));
    save.reset();
    setReloaded(true);
  };
  const text = (field: "displayName" | "supportEmail" | "supportUrl") => ({
    value: draft[field],
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ [field]: event.currentTarget.value }),
  });
  return (
    <Panel title={t("form.title")}>
      <SaveForm
        onSubmit={save.mutate}
        isBusy={save.isPending}
        typed={{ ...draft, links: filledLinks(draft.links) }}
        base={base}
        error={error}
      >
        <TextInput
          label={t("form.name")}
          description={t("form.nameWords")}
          placeholder={organization.name}
          maxLength={100}
          {...text("displayName")}
          error={fieldError(error, "display_name")}
        />
        <AccentField
          value={draft.accentColor}
          onChange={(accentColor) => onChange({ accentColor })}
          error={fieldError(error, "accent_color")}
        />
        <Select
          label={t("form.language")}
          description={t("form.languageWords")}
          data={[
            { value: "", label: t("form.sameLanguage", { language: languages[organization.locale] }) },
            ...Object.entries(languages).map(([value, label]) => ({ value, label })),
          ]}
          value={draft.locale}
          onChange={(locale) => onChange({ locale: (locale ?? "") as Language | "" })}
          allowDeselect={false}
          error={fieldError(error, "locale")}
        />
        <TextInput
          label={t("form.email")}
          description={t("form.emailWords")}
          type="email"
          maxLength={254}
          {...text("supportEmail")}
          error={fieldError(error, "support_email")}
        />
        <TextInput
          label={t("form.url")}
          description={t("form.urlWords")}
          type="url"
          placeholder="https://"
          maxLength={2_000}
          {...text("supportUrl")}
          error={fieldError(error, "support_url")}
        />
        <LinkFields links={draft.links} onChange={(links) => onChange({ links })} error={error} />
        {isOld ? (
          <ChangedMeanwhile onReload={reload} />
        ) : (
          <ProblemAlert error={error} beside={shown(error)} />
        )}
        {isReloaded && !isOld && (
          <Alert role="status" icon={<Icon name="info" />}>
            {t("everywhere:changedMeanwhile.loaded")}
          </Alert>
        )}
      </SaveForm>
    </Panel>
  );
}

const fields = ["display_name", "accent_color", "support_email", "support_url", "locale", "links"];

/** The fields that show their own errors, those of links included. */
function shown(error: Error | null): string[] {
  if (!(error instanceof ApiProblem)) return fields;
  const ofLinks = error.errors
    .map(({ field }) => field)
    .filter((field) => /^links\.\d+\.(title|url)$/.test(field));
  return [...fields, ...ofLinks];
}
