import { Button, Skeleton, Stack } from "@mantine/core";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { flat } from "../../api/queries.ts";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { ProductToday } from "./product-today.tsx";
import { resetTime } from "./times.ts";
import classes from "./usage.module.css";

interface ProductsTodayProps {
  readonly products: UseInfiniteQueryResult<InfiniteData<Answer<"listProductUsage">>>;
}

/** Each product's requests today against its limit, and in the last two weeks. */
export function ProductsToday({ products }: ProductsTodayProps) {
  const { t, i18n } = useTranslation("usage");
  const rows = flat(products.data);
  const resetsAt = rows[0]?.resets_at;
  return (
    <Section
      title={t("today.title")}
      note={
        resetsAt === undefined ? undefined : t("today.resets", { time: resetTime(resetsAt, i18n.language) })
      }
    >
      <ProblemAlert error={products.error} />
      {products.isPending && (
        <Stack gap="sm" aria-hidden="true">
          {[0, 1, 2].map((line) => (
            <Skeleton key={line} height={52} />
          ))}
        </Stack>
      )}
      <ul className={classes.products}>
        {rows.map((usage) => (
          <ProductToday key={usage.product_id} usage={usage} />
        ))}
      </ul>
      {products.hasNextPage && (
        <Button
          variant="subtle"
          loading={products.isFetchingNextPage}
          onClick={() => void products.fetchNextPage()}
        >
          {t("everywhere:more")}
        </Button>
      )}
    </Section>
  );
}
