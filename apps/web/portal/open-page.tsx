import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Me } from "./base/api.ts";
import { forgetOpenKey, openKey } from "./base/open-key.ts";
import { pathOf } from "./base/pages.ts";
import { navigate } from "./base/router.tsx";
import { LicenseList } from "./licenses/license-list.tsx";
import { NoLicense } from "./licenses/no-license.tsx";
import { Page } from "./ui/page.tsx";
import { Loaded } from "./ui/state.tsx";

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
  const found = useQuery({
    queryKey: ["open", licenseKey],
    queryFn: () => call("findPortalLicense", { body: { license_key: licenseKey } }),
  });
  const only = found.data?.data.length === 1 ? found.data.data[0] : undefined;
  useEffect(() => {
    if (only === undefined) return;
    navigate(`${pathOf("license", { licenseId: only.id })}?from=app`, { replaces: true });
  }, [only]);
  return (
    <Page title={t("open.title")}>
      <Loaded query={found}>
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
