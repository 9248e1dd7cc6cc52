import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useProducts } from "../../session/products.ts";
import { Empty } from "../../ui/empty.tsx";
import { GoButton } from "../../ui/go-button.tsx";
import { noFilters } from "./filters.ts";
import { timeInWords } from "./request-time.tsx";
import { useFilterChange } from "./requests-route.ts";

interface NoRequestsProps {
  readonly isLive: boolean;
  readonly isFiltered: boolean;
  readonly keptSince: string | undefined;
  /** Null if everything has been searched. */
  readonly searchedUntil: string | null;
  readonly isSearching: boolean;
  readonly onSearchFurther: () => void;
}

/** In place of an empty list: what to do next. */
export function NoRequests(props: NoRequestsProps) {
  const { isLive, isFiltered, keptSince, searchedUntil, isSearching, onSearchFurther } = props;
  const { t, i18n } = useTranslation("requests");
  const change = useFilterChange();
  const words = (at: string | undefined) => (at === undefined ? "" : timeInWords(at, i18n.language));
  if (isLive)
    return (
      <Empty icon="request" title={t("live.waiting.title")}>
        {t("live.waiting.words")}
      </Empty>
    );
  if (searchedUntil !== null)
    return (
      <Empty
        icon="search"
        title={t("searched.none")}
        action={
          <Button loading={isSearching} onClick={onSearchFurther}>
            {t("searched.further")}
          </Button>
        }
      >
        {t("searched.noneWords", { time: words(searchedUntil) })}
      </Empty>
    );
  if (isFiltered)
    return (
      <Empty
        icon="filter"
        title={t("noMatch.title")}
        action={
          <Button variant="default" onClick={() => change(noFilters)}>
            {t("filters.clear")}
          </Button>
        }
      >
        {t("noMatch.words", { time: words(keptSince) })}
      </Empty>
    );
  return (
    <Empty icon="request" title={t("empty.title")} action={<FirstRequest />}>
      {t("empty.words")}
    </Empty>
  );
}

/** The guide of the first product, which starts with curl. */
function FirstRequest() {
  const { t } = useTranslation("requests");
  const { slug } = useOrganization();
  const products = useProducts();
  const [product] = products.data ?? [];
  if (products.data === undefined) return null;
  return (
    <GoButton to={product === undefined ? paths.products(slug) : paths.integrate(slug, product.id)}>
      {t("empty.integrate")}
    </GoButton>
  );
}
