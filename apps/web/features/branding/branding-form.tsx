import { checkAccentColor, contrast, parseColor } from "@countersign/domain/branding/accent-color";
import {
  ActionIcon,
  Alert,
  Button,
  ColorSwatch,
  Group,
  Input,
  Select,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
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
import classes from "./branding.module.css";
import {
  type Branding,
  type BrandingDraft,
  changesOf,
  colorOf,
  draftOf,
  filledLinks,
  type LinkDraft,
  mostLinks,
} from "./branding-draft.ts";
import { ownAccent } from "./portal-preview.tsx";

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

interface AccentFieldProps {
  readonly value: string;
  readonly onChange: (color: string) => void;
  readonly error: string | null;
}

/** A color as text and by the browser's color picker, with its contrast. */
function AccentField({ value, onChange, error }: AccentFieldProps) {
  const { t } = useTranslation("branding");
  const color = colorOf(value);
  const checked = color === "" ? null : checkAccentColor(color);
  const fault = checked === null || checked.ok ? null : checked.fault;
  const wrong = fault === null ? error : t(`form.${fault.code}`);
  return (
    <div>
      <TextInput
        label={t("form.color")}
        description={t("form.colorWords")}
        placeholder={ownAccent}
        maxLength={20}
        spellCheck={false}
        autoCapitalize="none"
        classNames={{ input: "mono" }}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={wrong}
        data-unreadable={fault === null ? undefined : true}
        rightSectionWidth={52}
        rightSection={
          <input
            type="color"
            className={classes.picker}
            aria-label={t("form.pick")}
            value={parseColor(color) === null ? ownAccent : color.toLowerCase()}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        }
      />
      <Group gap="xs" mt={color === "" ? 0 : 6} role="status">
        {checked?.ok === true && <Contrast color={checked.color} />}
        {fault?.code === "accent_contrast_too_low" && (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<ColorSwatch color={fault.suggestion} size={14} />}
            onClick={() => onChange(fault.suggestion)}
          >
            {t("form.use", { color: fault.suggestion })}
          </Button>
        )}
        {color !== "" && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => onChange("")}>
            {t("form.reset")}
          </Button>
        )}
      </Group>
    </div>
  );
}

function Contrast({ color }: { readonly color: string }) {
  const { t, i18n } = useTranslation("branding");
  const parsed = parseColor(color);
  if (parsed === null) return null;
  // Rounded down, so that no color seems to have more than it has.
  const ratio = Math.floor(contrast(parsed, { red: 255, green: 255, blue: 255 }) * 10) / 10;
  return (
    <Group gap={4}>
      <Icon name="check" size={14} />
      <Text size="sm" c="dimmed" className="figures">
        {t("form.contrast", { ratio: ratio.toLocaleString(i18n.language) })}
      </Text>
    </Group>
  );
}

interface LinkFieldsProps {
  readonly links: readonly LinkDraft[];
  readonly onChange: (links: readonly LinkDraft[]) => void;
  readonly error: Error | null;
}

/** Links at the bottom of every page of the portal. */
function LinkFields({ links, onChange, error }: LinkFieldsProps) {
  const { t } = useTranslation("branding");
  const change = (at: number, changes: Partial<LinkDraft>) =>
    onChange(links.map((link, index) => (index === at ? { ...link, ...changes } : link)));
  return (
    <Input.Wrapper
      labelElement="div"
      label={t("form.links")}
      description={t("form.linksWords", { most: mostLinks })}
      error={fieldError(error, "links")}
    >
      <Stack gap="xs" mt={6}>
        {links.map((link, at) => {
          // The server counts the links that it got.
          const sentAt = filledLinks(links.slice(0, at)).length;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a link has no identity of its own.
            <div key={at} className={classes.link}>
              <TextInput
                aria-label={t("form.linkTitle", { number: at + 1 })}
                placeholder={t("form.titleExample")}
                maxLength={100}
                value={link.title}
                onChange={(event) => change(at, { title: event.currentTarget.value })}
                error={fieldError(error, `links.${sentAt}.title`)}
              />
              <TextInput
                className={classes.linkUrl ?? ""}
                aria-label={t("form.linkUrl", { number: at + 1 })}
                type="url"
                placeholder="https://"
                maxLength={2_000}
                value={link.url}
                onChange={(event) => change(at, { url: event.currentTarget.value })}
                error={fieldError(error, `links.${sentAt}.url`)}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={t("form.removeLink", { number: at + 1 })}
                onClick={() => onChange(links.filter((_, index) => index !== at))}
              >
                <Icon name="close" size={15} />
              </ActionIcon>
            </div>
          );
        })}
        {links.length < mostLinks && (
          <Group>
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<Icon name="plus" size={14} />}
              onClick={() => onChange([...links, { title: "", url: "" }])}
            >
              {t("form.addLink")}
            </Button>
          </Group>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
