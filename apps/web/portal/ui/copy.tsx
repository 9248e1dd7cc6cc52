import { useTranslation } from "react-i18next";
import { copyText } from "../../ui/copy-text.ts";
import { announce } from "./announce.tsx";
import { Button } from "./button.tsx";

interface CopyProps {
  readonly text: string;
  /** What is copied, such as "license key". */
  readonly label: string;
}

export function Copy({ text, label }: CopyProps) {
  const { t } = useTranslation("portal");
  const copy = async () => {
    announce((await copyText(text)) ? t("copied") : t("copyFailed"));
  };
  return (
    <Button isSmall aria-label={label} onClick={() => void copy()}>
      {t("copy")}
    </Button>
  );
}
