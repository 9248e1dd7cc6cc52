import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import i18next from "i18next";
import { Component, type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { AccountPage } from "./account/account-page.tsx";
import type { Me, Seller } from "./base/api.ts";
import { BrandProvider } from "./base/brand.tsx";
import { changeLanguage, chosenLanguage } from "./base/language.ts";
import { pageAfterSignIn } from "./base/link-contents.ts";
import { type Found, pageAt } from "./base/pages.ts";
import { meQuery, queryClient } from "./base/queries.ts";
import { navigate, usePath } from "./base/router.tsx";
import { LicensePage } from "./license/license-page.tsx";
import { LicensesPage, OpenPage } from "./licenses/licenses-page.tsx";
import { LinkPage, SignInPage } from "./sign-in/sign-in-page.tsx";
import { TransfersPage } from "./transfers/transfers-page.tsx";
import { Announcements } from "./ui/announce.tsx";
import { ButtonLink } from "./ui/button.tsx";
import { Layout } from "./ui/layout.tsx";
import { Page } from "./ui/page.tsx";
import { Failed, Loading } from "./ui/state.tsx";

export function App({ seller }: { readonly seller: Seller | null }) {
  return (
    <QueryClientProvider client={queryClient}>
      <BrandProvider first={seller}>
        <CurrentPage />
        <Announcements />
      </BrandProvider>
    </QueryClientProvider>
  );
}

function CurrentPage() {
  const path = usePath();
  const me = useQuery(meQuery);
  const { t } = useTranslation("portal");
  const found = pageAt(path);
  useSavedLanguage(me.data?.locale ?? null);
  const person = me.data ?? null;
  return (
    <Layout me={person}>
      <ErrorBoundary key={path}>
        {found?.name === "link" ? (
          // For anyone who opens the link, signed in or not.
          <LinkPage />
        ) : me.data !== undefined ? (
          <PageFor found={found} me={me.data} />
        ) : (
          <Page title={t("name")}>
            {me.error === null ? <Loading /> : <Failed error={me.error} again={() => void me.refetch()} />}
          </Page>
        )}
      </ErrorBoundary>
    </Layout>
  );
}

function Redirect({ to }: { readonly to: string }) {
  useEffect(() => navigate(to, { replaces: true }), [to]);
  return null;
}

/** The language of the account, unless another one was chosen on this device. */
function useSavedLanguage(locale: Me["locale"]): void {
  useEffect(() => {
    if (locale === null || chosenLanguage() !== null || locale === i18next.language) return;
    void changeLanguage(locale).catch(() => undefined);
  }, [locale]);
}

/** Without a session, every page is the sign-in page, so that its URL is still there afterwards. */
function PageFor({ found, me }: { readonly found: Found | null; readonly me: Me | null }) {
  if (found === null) return <MissingPage />;
  if (me === null) return <SignInPage page={found.name} />;
  switch (found.name) {
    case "signIn":
    case "link":
      // Discord comes back here after a failure, whatever page was asked for.
      return <Redirect to={pageAfterSignIn()} />;
    case "licenses":
      return <LicensesPage me={me} />;
    case "license":
      return <LicensePage licenseId={found.params.licenseId ?? ""} me={me} />;
    case "transfers":
      return <TransfersPage />;
    case "account":
      return <AccountPage me={me} />;
    case "open":
      return <OpenPage me={me} />;
  }
}

interface State {
  readonly error: Error | null;
}

/** For errors that no page handles. */
class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    return error === null ? (
      this.props.children
    ) : (
      <Failed error={error} again={() => this.setState({ error: null })} />
    );
  }
}

function MissingPage() {
  const { t } = useTranslation("portal");
  return (
    <Page title={t("missing.title")}>
      <p>{t("missing.text")}</p>
      <div>
        <ButtonLink to="/" look="filled">
          {t("missing.back")}
        </ButtonLink>
      </div>
    </Page>
  );
}
