import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Me } from "./api.ts";
import { LicenseList } from "./licenses/license-list.tsx";
import { NoLicense } from "./licenses/no-license.tsx";
import { forgetOpenKey, openKey } from "./open-key.ts";
import { pathOf } from "./pages.ts";
import { navigate } from "./router.tsx";
import { Page } from "./ui/page.tsx";
import { Loaded } from "./ui/state.tsx";

/** From an app that was refused: finds the license by the key in the fragment, and opens it. */
export function OpenPage({ me }: { readonly me: Me }) {
  const { t } = useTranslation("portal");
  const [key] = useState(openKey);
  const found = useQuery({
    queryKey: ["open", key],
    queryFn: async () =>
      key === null ? { data: [] } : call("findPortalLicense", { body: { license_key: key } }),
  });
  const only = found.data?.data.length === 1 ? found.data.data[0] : undefined;
  useEffect(() => {
    if (only === undefined) return;
    forgetOpenKey();
    navigate(`${pathOf("license", { licenseId: only.id })}?from=app`, { replaces: true });
  }, [only]);
  return (
    <Page title={t("open.title")}>
      <Loaded query={found}>
        {({ data }) =>
          data.length === 0 ? (
            <NoLicense me={me} title={t(key === null ? "open.noKey" : "open.notFound")}>
              <p>{t(key === null ? "open.noKeyText" : "open.notFoundText")}</p>
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
