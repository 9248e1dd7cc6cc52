import { ActionIcon, Button, Group, Input, Stack, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import { fieldError } from "../../ui/problem-alert.tsx";
import classes from "./branding.module.css";
import { filledLinks, type LinkDraft, mostLinks } from "./branding-draft.ts";

interface LinkFieldsProps {
  readonly links: readonly LinkDraft[];
  readonly onChange: (links: readonly LinkDraft[]) => void;
  readonly error: Error | null;
}

/** Links at the bottom of every page of the portal. */
export function LinkFields({ links, onChange, error }: LinkFieldsProps) {
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
