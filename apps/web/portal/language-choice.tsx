import { useTranslation } from "react-i18next";
import { type Language, languages } from "../i18n/languages.ts";
import { saveChosenLanguage } from "./language.ts";
import { changeLanguage } from "./translation.ts";
import { Choice } from "./ui/field.tsx";

interface LanguageChoiceProps {
  readonly onChosen?: (language: Language) => void;
}

export function LanguageChoice({ onChosen }: LanguageChoiceProps) {
  const { t, i18n } = useTranslation("portal");
  const choose = async (language: Language) => {
    await changeLanguage(language);
    saveChosenLanguage(language);
    onChosen?.(language);
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
