import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Me } from "../base/api.ts";
import { usePageBrand } from "../base/brand.tsx";
import { forgetOpenKey, openKey } from "../base/link-contents.ts";
import { pathOf } from "../base/pages.ts";
import { licensesQuery } from "../base/queries.ts";
import { navigate } from "../base/router.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { IdentityName } from "../ui/identity-name.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Loaded, Loading } from "../ui/state.tsx";
import { bySeller } from "./license.ts";
import { LicenseList } from "./license-list.tsx";

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

/** From an app that was refused: finds the license by the key in the fragment, and opens it. */
export function OpenPage({ me }: { readonly me: Me }) {
  const [key] = useState(openKey);
  useEffect(() => {
    // The link in the email can open in another tab, which does not know the key.
    if (key === null) navigate("/", { replaces: true });
    return forgetOpenKey;
  }, [key]);
  return key === null ? null : <FoundByKey licenseKey={key} me={me} />;
}

function FoundByKey({ licenseKey, me }: { readonly licenseKey: string; readonly me: Me }) {
  const { t } = useTranslation("portal");
  const license = useQuery({
    queryKey: ["open", licenseKey],
    queryFn: () => call("findPortalLicense", { body: { license_key: licenseKey } }),
  });
  const only = license.data?.data.length === 1 ? license.data.data[0] : undefined;
  useEffect(() => {
    if (only === undefined) return;
    navigate(`${pathOf("license", { licenseId: only.id })}?from=app`, { replaces: true });
  }, [only]);
  return (
    <Page title={t("open.title")}>
      <Loaded query={license}>
        {({ data }) =>
          data.length === 0 ? (
            <NoLicense me={me} title={t("open.notFound")}>
              <p>{t("open.notFoundText")}</p>
            </NoLicense>
          ) : (
            <>
              <p>{t("open.several")}</p>
              <LicenseList licenses={data} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

interface NoLicenseProps {
  readonly me: Me;
  readonly title: string;
  readonly children: ReactNode;
}

/** The most frequent reason is that the license was bought with another email address. */
export function NoLicense({ me, title, children }: NoLicenseProps) {
  const { t } = useTranslation("portal");
  return (
    <Empty title={title}>
      {children}
      <div>
        <p>{t("licenses.signedInAs")}</p>
        <ul>
          {me.identities.map((identity) => (
            <li key={identity.id}>
              <strong>
                <IdentityName identity={identity} />
              </strong>
            </li>
          ))}
        </ul>
      </div>
      <p>{t("licenses.linkOther")}</p>
      <ButtonLink to={pathOf("account")} look="filled">
        {t("licenses.toAccount")}
      </ButtonLink>
    </Empty>
  );
}
