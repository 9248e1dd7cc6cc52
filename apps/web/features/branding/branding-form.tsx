import { checkAccentColor, contrast, parseColor } from "@countersign/domain/branding/accent-color";
import { ActionIcon, Button, ColorSwatch, Group, Input, Stack, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type Language, languages } from "../../i18n/languages.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { TextField } from "../../ui/fields.tsx";
import { SaveForm } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { fieldError } from "../../ui/problem-alert.tsx";
import { Panel } from "../../ui/section.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { type Field, FormProblem, type FormState } from "../../ui/use-form.tsx";
import classes from "./branding.module.css";
import { type BrandingDraft, colorOf, filledLinks, type LinkDraft, maxLinks } from "./branding-draft.ts";
import { defaultAccent } from "./portal-preview.tsx";

/** Everything but the logo, saved together. */
export function BrandingForm({ form }: { readonly form: FormState<BrandingDraft> }) {
  const { t } = useTranslation("branding");
  const organization = useOrganization();
  return (
    <Panel title={t("form.title")}>
      <SaveForm {...form.props} typed={{ ...form.values, links: filledLinks(form.values.links) }}>
        <TextField
          {...form.field("display_name")}
          label={t("form.name")}
          description={t("form.nameWords")}
          placeholder={organization.name}
          maxLength={100}
        />
        <AccentField {...form.field("accent_color")} />
        <SelectField
          {...form.field("locale")}
          label={t("form.language")}
          description={t("form.languageWords")}
          values={["", ...languageCodes]}
          words={(code) =>
            code === ""
              ? t("form.sameLanguage", { language: languages[organization.locale] })
              : languages[code]
          }
        />
        <TextField
          {...form.field("support_email")}
          label={t("form.email")}
          description={t("form.emailWords")}
          type="email"
          maxLength={254}
        />
        <TextField
          {...form.field("support_url")}
          label={t("form.url")}
          description={t("form.urlWords")}
          type="url"
          placeholder="https://"
          maxLength={2_000}
        />
        <LinkFields links={form.values.links} onChange={(links) => form.set({ links })} error={form.error} />
        <FormProblem form={form} />
      </SaveForm>
    </Panel>
  );
}

const languageCodes = Object.keys(languages) as Language[];

/** A color as text and by the browser's color picker, with its contrast. */
function AccentField({ value, onChange, error }: Field<string>) {
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
        placeholder={defaultAccent}
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
            value={parseColor(color) === null ? defaultAccent : color.toLowerCase()}
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
      <Dimmed className="figures">
        {t("form.contrast", { ratio: ratio.toLocaleString(i18n.language) })}
      </Dimmed>
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
      description={t("form.linksWords", { most: maxLinks })}
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
                size={36}
                aria-label={t("form.removeLink", { number: at + 1 })}
                onClick={() => onChange(links.filter((_, index) => index !== at))}
              >
                <Icon name="close" size={15} />
              </ActionIcon>
            </div>
          );
        })}
        {links.length < maxLinks && (
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
