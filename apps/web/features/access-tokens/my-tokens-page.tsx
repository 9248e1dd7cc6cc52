import { everyPermission } from "@countersign/domain/members/permissions";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { askPages, flat, useChange } from "../../api/queries.ts";
import { paths } from "../../session/paths.ts";
import { Back } from "../../ui/back.tsx";
import { GoButton } from "../../ui/go-button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { TokenForm } from "./token-form.tsx";
import { TokenTable } from "./token-table.tsx";

/** Personal access tokens, which act as their creator in all of their organizations. */
export function MyTokensPage() {
  const { t } = useTranslation("access-tokens");
  const tokens = useInfiniteQuery(askPages("listMyAccessTokens"));
  const revoke = useChange("revokeMyAccessToken");
  const rows = flat(tokens.data);
  const hasNone = tokens.isSuccess && rows.length === 0;
  const create = (
    <GoButton to={paths.newMyAccessToken()} leftSection={<Icon name="plus" size={16} />}>
      {t("new")}
    </GoButton>
  );
  return (
    <Page wide title={t("mine.title")} lead={t("mine.lead")} actions={!hasNone && create}>
      <TokenTable
        list={tokens}
        rows={rows}
        nameOf={null}
        create={create}
        emptyWords={t("mine.empty")}
        revoke={(tokenId) => revoke.mutateAsync({ params: { token_id: tokenId } })}
      />
    </Page>
  );
}

export function NewMyTokenPage() {
  const { t } = useTranslation("access-tokens");
  const navigate = useNavigate();
  const create = useChange("createMyAccessToken");
  return (
    <Page
      title={t("new")}
      above={<Back to={paths.myAccessTokens()}>{t("mine.title")}</Back>}
      lead={t("mine.newLead")}
    >
      <TokenForm
        held={everyPermission}
        error={create.error}
        create={(body) => create.mutateAsync({ body })}
        onDone={() => navigate(paths.myAccessTokens())}
      />
    </Page>
  );
}
