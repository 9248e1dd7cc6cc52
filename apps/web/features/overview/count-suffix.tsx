import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** How often, if more than once; with a plus if there may be more. */
export function CountSuffix({ count, isCut }: { count: number; isCut: boolean }) {
  const { i18n } = useTranslation();
  if (count < 2) return null;
  return (
    <Text component="span" size="sm" c="dimmed" className="figures">
      × {new Intl.NumberFormat(i18n.language).format(count)}
      {isCut && "+"}
    </Text>
  );
}
