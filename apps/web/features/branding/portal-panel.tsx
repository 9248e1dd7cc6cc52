import { Anchor, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Copyable } from "../../ui/copy.tsx";
import { Panel } from "../../ui/panel.tsx";
import { DocsLink } from "../../ui/validate-help.tsx";

/** Where customers sign in. */
export function PortalPanel({ url }: { readonly url: string }) {
  const { t } = useTranslation("branding");
  return (
    <Panel
      title={t("portal.title")}
      lead={
        <>
          {t("portal.lead")} <DocsLink section="branding">{t("everywhere:docs.learnMore")}</DocsLink>
        </>
      }
    >
      <Group gap="md" justify="space-between">
        <Copyable value={url} />
        <Anchor href={url} target="_blank" rel="noopener" title={t("everywhere:docs.newTab")}>
          {t("portal.open")}
        </Anchor>
      </Group>
    </Panel>
  );
}
