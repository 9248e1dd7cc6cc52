import { Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Empty } from "../../ui/empty.tsx";
import { GoButton } from "../../ui/go-button.tsx";
import { presets } from "./presets.ts";

/** Offers presets while there are no roles. */
export function NoRoles() {
  const { t } = useTranslation("roles");
  const { slug } = useOrganization();
  const may = useMay();
  return (
    <Empty
      icon="role"
      title={t("empty.title")}
      action={
        may("roles:edit") && (
          <Group gap="xs" justify="center" mt="xs">
            {Object.keys(presets).map((preset) => (
              <GoButton key={preset} variant="default" to={paths.newRole(slug, { from: preset })}>
                {t(`presets.${preset}`)}
              </GoButton>
            ))}
          </Group>
        )
      }
    >
      {t("empty.words")}
    </Empty>
  );
}
