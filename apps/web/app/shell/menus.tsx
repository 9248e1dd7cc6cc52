import { Menu, Text, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { callAuth } from "../../api/client.ts";
import { queryClient } from "../../api/queries.ts";
import { type Language, languages } from "../../i18n/languages.ts";
import { changeLanguage } from "../../i18n/start.ts";
import { useMe, useOrganizationOrNull, useOrganizations } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { notifyProblem } from "../../ui/notify.tsx";
import classes from "./shell.module.css";

/** The current organization, and a menu of the others. */
export function OrganizationMenu() {
  const { t } = useTranslation();
  const current = useOrganizationOrNull();
  const organizations = useOrganizations();
  const { pathname } = useLocation();
  const name = current?.name ?? (pathname.startsWith("/admin") ? t("places.platform") : "Countersign");
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <UnstyledButton
          aria-label={`${name}: ${t("changeOrganization")}`}
          style={{ display: "flex", alignItems: "center", gap: 6, minWidth: 0 }}
        >
          <Text fw={650} truncate>
            {name}
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
            rightSection={organization.id === current?.id ? <Icon name="check" size={14} /> : null}
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

const schemes = [
  ["auto", "platform"],
  ["light", "sun"],
  ["dark", "moon"],
] as const satisfies readonly (readonly [string, IconName])[];

/** The signed-in user, and a menu of their own pages. */
export function PersonMenu() {
  const { t, i18n } = useTranslation();
  const me = useMe();
  const navigate = useNavigate();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = async () => {
    try {
      await callAuth("signOut");
      queryClient.clear();
      await navigate({ to: "/sign-in", search: { next: undefined } });
    } catch (error) {
      notifyProblem(error);
    }
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={t("yourAccount")} className={classes.person ?? ""}>
          <Icon name="customer" size={18} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {me.name}
          <br />
          {me.email}
        </Menu.Label>
        <Menu.Item
          renderRoot={(props) => <Link {...props} {...paths.account()} />}
          leftSection={<Icon name="customer" size={16} />}
        >
          {t("yourAccount")}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t("appearance")}</Menu.Label>
        {schemes.map(([scheme, icon]) => (
          <Menu.RadioItem
            key={scheme}
            value={scheme}
            checked={scheme === colorScheme}
            checkIcon={<Icon name="check" size={14} />}
            rightSection={<Icon name={icon} size={16} />}
            onChange={() => setColorScheme(scheme)}
          >
            {t(`schemes.${scheme}`)}
          </Menu.RadioItem>
        ))}
        <Menu.Divider />
        <Menu.Label>{t("language")}</Menu.Label>
        {(Object.keys(languages) as Language[]).map((language) => (
          <Menu.RadioItem
            key={language}
            value={language}
            lang={language}
            checked={language === i18n.language}
            checkIcon={<Icon name="check" size={14} />}
            onChange={() => void changeLanguage(language)}
          >
            {languages[language]}
          </Menu.RadioItem>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="leave" size={16} />} onClick={signOut}>
          {t("signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
