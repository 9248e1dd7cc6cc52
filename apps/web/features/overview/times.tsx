import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** How often, where it is more than once. */
export function Times({ count }: { count: number }) {
  const { i18n } = useTranslation();
  if (count < 2) return null;
  return (
    <Text component="span" size="sm" c="dimmed" className="figures">
      × {new Intl.NumberFormat(i18n.language).format(count)}
    </Text>
  );
}
