import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Me } from "../api.ts";
import { usePageBrand } from "../brand.tsx";
import { licensesQuery } from "../queries.ts";
import { Button } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { Loaded } from "../ui/state.tsx";
import { bySeller } from "./by-seller.ts";
import { LicenseList } from "./license-list.tsx";
import { NoLicense } from "./no-license.tsx";

export function LicensesPage({ me }: { readonly me: Me }) {
  const { t } = useTranslation("portal");
  const query = useInfiniteQuery(licensesQuery);
  const licenses = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const groups = bySeller(licenses);
  usePageBrand(groups.length === 1 && !query.hasNextPage ? (groups[0]?.seller ?? null) : null);
  return (
    <Page title={t("licenses.title")}>
      <Loaded query={query}>
        {() =>
          licenses.length === 0 ? (
            <NoLicense me={me} title={t("licenses.none")}>
              <p>{t("licenses.noneText")}</p>
            </NoLicense>
          ) : (
            <LicenseList licenses={licenses} />
          )
        }
      </Loaded>
      {query.hasNextPage && (
        <div>
          <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t("showMore")}
          </Button>
        </div>
      )}
    </Page>
  );
}
