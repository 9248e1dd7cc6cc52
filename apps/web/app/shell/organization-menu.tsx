import { Menu, Text, UnstyledButton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useOrganizationOrNull, useOrganizations } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Icon } from "../../ui/icon.tsx";

/** The current organization, and a menu of the others. */
export function OrganizationMenu() {
  const { t } = useTranslation();
  const here = useOrganizationOrNull();
  const organizations = useOrganizations();
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <UnstyledButton
          aria-label={`${here?.name ?? "Countersign"}: ${t("changeOrganization")}`}
          style={{ display: "flex", alignItems: "center", gap: 6, minWidth: 0 }}
        >
          <Text fw={650} truncate>
            {here?.name ?? "Countersign"}
          </Text>
          <Icon name="down" size={14} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("organizations")}</Menu.Label>
        {organizations.map((organization) => (
          <Menu.Item
            key={organization.id}
            renderRoot={(props) => <Link {...props} {...paths.overview(organization.slug)} />}
            rightSection={organization.id === here?.id ? <Icon name="check" size={14} /> : null}
          >
            {organization.name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          renderRoot={(props) => <Link {...props} {...paths.newOrganization()} />}
          leftSection={<Icon name="plus" size={14} />}
        >
          {t("newOrganization")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
