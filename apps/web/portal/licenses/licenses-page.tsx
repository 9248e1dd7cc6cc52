import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { Me } from "../base/api.ts";
import { usePageBrand } from "../base/brand.tsx";
import { licensesQuery } from "../base/queries.ts";
import { Button } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { Loaded, Loading } from "../ui/state.tsx";
import { bySeller } from "./by-seller.ts";
import { LicenseList } from "./license-list.tsx";
import { NoLicense } from "./no-license.tsx";

export function LicensesPage({ me }: { readonly me: Me }) {
  const { t } = useTranslation("portal");
  const query = useInfiniteQuery(licensesQuery);
  const licenses = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const sellersWithMore = query.data?.pages.flatMap((page) => page.sellers_with_more) ?? [];
  const groups = bySeller(licenses);
  // A page can be empty although there is a next one.
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  const isSearching = licenses.length === 0 && hasNextPage && !isError;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);
  const onlySeller = groups.length === 1 && !hasNextPage ? (groups[0]?.seller ?? null) : null;
  usePageBrand(query.isPending ? undefined : onlySeller);
  return (
    <Page title={t("licenses.title")}>
      <Loaded query={query}>
        {() =>
          isSearching ? (
            <Loading />
          ) : licenses.length === 0 ? (
            <NoLicense me={me} title={t("licenses.none")}>
              <p>{t("licenses.noneText")}</p>
            </NoLicense>
          ) : (
            <LicenseList licenses={licenses} sellersWithMore={sellersWithMore} />
          )
        }
      </Loaded>
      {hasNextPage && !isSearching && (
        <div>
          <Button isBusy={query.isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t("showMore")}
          </Button>
        </div>
      )}
    </Page>
  );
}
