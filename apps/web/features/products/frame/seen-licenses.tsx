import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type Body, call } from "../../../api/client.ts";
import { useMaySee } from "../../../session/current-organization.ts";
import { exactTime } from "../../../ui/time.tsx";
import type { Product } from "./use-product.ts";

interface SeenLicensesProps {
  readonly product: Product;
  readonly change: Body<"shadowProduct">["change"];
  /** By default, how many it refuses. */
  readonly counts?: "refused" | "used";
}

const days = 30;

/** Before a change: how many of the licenses in the request log it refuses, and since when requests are known. */
export function SeenLicenses({ product, change, counts = "refused" }: SeenLicensesProps) {
  const { t, i18n } = useTranslation("products");
  const maySee = useMaySee()("requests:view");
  const { data, error } = useQuery({
    queryKey: ["shadowProduct", { product_id: product.id }, { change, days }],
    queryFn: ({ signal }) =>
      call("shadowProduct", { params: { product_id: product.id }, body: { change, days }, signal }),
    enabled: maySee,
    staleTime: 0,
  });
  if (!maySee) return <Line>{t("seen.mayNotSee")}</Line>;
  if (error !== null) return <Line>{t("seen.failed")}</Line>;
  if (data === undefined) return <Skeleton height={18} aria-hidden="true" />;
  if (data.oldest_at === null) return <Line>{t("seen.unknown", { days })}</Line>;
  const shown = (count: number) => count.toLocaleString(i18n.language);
  const count = counts === "used" ? data.licenses : data.refused.licenses;
  const values = { count, days, number: shown(count), all: shown(data.licenses) };
  return (
    <Stack gap={2} role="status">
      <Text fw={600}>{t(`seen.${count === 0 ? "none" : counts}`, values)}</Text>
      <Text size="sm" c="dimmed">
        {t("seen.since", { time: exactTime(data.oldest_at, i18n.language) })}
      </Text>
    </Stack>
  );
}

function Line({ children }: { children: string }) {
  return (
    <Text fw={600} role="status">
      {children}
    </Text>
  );
}
