import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** How often, where it is more than once; at least that often, where nobody looked further back. */
export function Times({ count, isCut }: { count: number; isCut: boolean }) {
  const { i18n } = useTranslation();
  if (count < 2) return null;
  return (
    <Text component="span" size="sm" c="dimmed" className="figures">
      × {new Intl.NumberFormat(i18n.language).format(count)}
      {isCut && "+"}
    </Text>
  );
}
