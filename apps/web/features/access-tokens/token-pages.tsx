import { everyPermission } from "@countersign/domain/members/permissions";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask, askPages, flat, useChange } from "../../api/queries.ts";
import { useMay, useMaySee, useOrganization, usePermissions } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";

import { Icon } from "../../ui/icon.tsx";
import { Back, GoButton } from "../../ui/links.tsx";
import { MissingPage, Page } from "../../ui/page.tsx";
import { TokenForm } from "./token-form.tsx";
import { TokenTable } from "./token-table.tsx";

/** Personal access tokens, which act as their creator in all of their organizations. */
export function MyTokensPage() {
  const { t } = useTranslation("access-tokens");
  const tokens = useInfiniteQuery(askPages("listMyAccessTokens"));
  const revoke = useChange("revokeMyAccessToken");
  const hasNone = tokens.isSuccess && flat(tokens.data).length === 0;
  const create = (
    <GoButton to={paths.newMyAccessToken()} leftSection={<Icon name="plus" size={16} />}>
      {t("new")}
    </GoButton>
  );
  return (
    <Page wide title={t("mine.title")} lead={t("mine.lead")} actions={!hasNone && create}>
      <TokenTable
        list={tokens}
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
        create={(body) => create.mutateAsync({ body })}
        onDone={() => navigate(paths.myAccessTokens())}
      />
    </Page>
  );
}

/** Tokens that belong to the organization rather than to a member. */
export function OrganizationTokensPage() {
  const { t } = useTranslation("access-tokens");
  const { id, slug } = useOrganization();
  const may = useMay();
  const params = { organization_id: id };
  const canList = useMaySee()("organization:manage");
  const canChange = may("organization:manage");
  const tokens = useInfiniteQuery({
    ...askPages("listOrganizationAccessTokens", { params }),
    enabled: canList,
  });
  const members = useQuery({
    ...ask("listMembers", { params, query: { limit: 200 } }),
    enabled: may("members:view", "roles:edit", "members:remove"),
  });
  const revoke = useChange("revokeOrganizationAccessToken");
  if (!canList) return <MissingPage />;
  const hasNone = tokens.isSuccess && flat(tokens.data).length === 0;
  const create = canChange && (
    <GoButton to={paths.newAccessToken(slug)} leftSection={<Icon name="plus" size={16} />}>
      {t("new")}
    </GoButton>
  );
  return (
    <Page wide title={t("organization.title")} lead={t("organization.lead")} actions={!hasNone && create}>
      <TokenTable
        list={tokens}
        nameOf={(userId) => members.data?.data.find((member) => member.user_id === userId)?.name ?? null}
        create={create}
        emptyWords={t("organization.empty")}
        revoke={
          canChange ? (tokenId) => revoke.mutateAsync({ params: { ...params, token_id: tokenId } }) : null
        }
      />
    </Page>
  );
}

export function NewOrganizationTokenPage() {
  const { t } = useTranslation("access-tokens");
  const { id, slug } = useOrganization();
  const may = useMay();
  const held = usePermissions();
  const navigate = useNavigate();
  const create = useChange("createOrganizationAccessToken");
  if (!may("organization:manage")) return <MissingPage />;
  return (
    <Page
      title={t("new")}
      above={<Back to={paths.accessTokens(slug)}>{t("organization.title")}</Back>}
      lead={t("organization.newLead")}
    >
      <TokenForm
        held={held}
        create={(body) => create.mutateAsync({ params: { organization_id: id }, body })}
        onDone={() => navigate(paths.accessTokens(slug))}
      />
    </Page>
  );
}
