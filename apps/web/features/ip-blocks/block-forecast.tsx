import { Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";

const mostShown = 200;

/** The known IP addresses that a block would affect. It reads one page, so that it stays cheap. */
export function BlockForecast({ cidr }: { cidr: string }) {
  const { t, i18n } = useTranslation("ip-blocks");
  const { id } = useOrganization();
  const mayLook = useMay()("licenses:view");
  const [settled] = useDebouncedValue(cidr.trim(), 300);
  const { data } = useQuery({
    ...ask("listIps", { params: { organization_id: id }, query: { cidr: settled, limit: mostShown } }),
    enabled: mayLook && settled !== "",
    retry: false,
  });
  if (data === undefined || settled !== cidr.trim()) return null;
  const more = data.next_cursor === null ? "" : "+";
  const figure = (value: number) => `${value.toLocaleString(i18n.language)}${more}`;
  const licenses = data.data.reduce((sum, { license_count: count }) => sum + count, 0);
  return (
    <Text fw={600} role="status">
      {data.data.length === 0 && more === ""
        ? t("form.noMatches")
        : t("form.matches", {
            count: data.data.length,
            number: figure(data.data.length),
            licenses: figure(licenses),
          })}
    </Text>
  );
}
