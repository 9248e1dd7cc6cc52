import { useTranslation } from "react-i18next";
import { type Language, languages } from "../../i18n/languages.ts";
import { changeLanguage, saveChosenLanguage } from "../base/language.ts";
import { announce } from "./announce.tsx";
import { Choice } from "./field.tsx";

interface LanguageChoiceProps {
  readonly onChosen?: (language: Language) => void;
}

export function LanguageChoice({ onChosen }: LanguageChoiceProps) {
  const { t, i18n } = useTranslation("portal");
  const choose = async (language: Language) => {
    // Saved first: if its texts cannot be loaded now, the next visit is in this language.
    saveChosenLanguage(language);
    onChosen?.(language);
    await changeLanguage(language).catch(() => announce(t("offline.text")));
  };
  return (
    <Choice
      label={t("language")}
      value={i18n.language as Language}
      options={languages}
      onChoose={(language) => void choose(language)}
    />
  );
}
