import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Me } from "../base/api.ts";
import { pathOf } from "../base/pages.ts";
import { ButtonLink } from "../ui/button.tsx";
import { IdentityName } from "../ui/identity-name.tsx";
import { Empty } from "../ui/state.tsx";

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
