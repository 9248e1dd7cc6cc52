import { Button, Menu } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type Language, languages } from "../i18n/languages.ts";
import { changeLanguage } from "../i18n/start.ts";
import { Icon } from "./icon.tsx";

/** Each language under its own name, so that its speakers can find it. */
export function LanguageMenu() {
  const { t, i18n } = useTranslation();
  const now = i18n.language as Language;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          c="dimmed"
          rightSection={<Icon name="down" size={12} />}
          aria-label={`${t("language")}: ${languages[now]}`}
        >
          {languages[now]}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(languages) as Language[]).map((language) => (
          <Menu.RadioItem
            key={language}
            value={language}
            lang={language}
            checked={language === now}
            checkIcon={<Icon name="check" size={14} />}
            closeMenuOnClick
            onChange={() => void changeLanguage(language)}
          >
            {languages[language]}
          </Menu.RadioItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
