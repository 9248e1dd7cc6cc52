import { Button, Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { Empty } from "../../ui/empty.tsx";
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
              <Button
                key={preset}
                variant="default"
                component={Link}
                to={`/o/${slug}/roles/new` as "/"}
                search={{ from: preset } as never}
              >
                {t(`presets.${preset}`)}
              </Button>
            ))}
          </Group>
        )
      }
    >
      {t("empty.words")}
    </Empty>
  );
}
