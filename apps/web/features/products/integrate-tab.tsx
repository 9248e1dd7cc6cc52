import { Box, List, SegmentedControl, Stack, Text } from "@mantine/core";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Trans, useTranslation } from "react-i18next";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { CodeBlock } from "../../ui/code-text.tsx";
import { GoLink } from "../../ui/links.tsx";
import { type Platform, platforms } from "../../ui/platforms.ts";
import { Panel } from "../../ui/section.tsx";
import { snippetFor } from "../../ui/snippets.ts";
import { useProduct } from "./frame/use-product.ts";

const integrateRoute = getRouteApi("/signed-in/o/$organization/products/$productId/integrate");

const choices = (Object.keys(platforms) as Platform[]).map((value) => ({ value, label: platforms[value] }));

/** A server receives its customers' license keys in their requests. */
const comesWithRequests: readonly Platform[] = ["express", "nestjs", "fastapi", "django", "spring"];

/** The steps from a key to a first response, in the selected language. */
export function IntegrateTab() {
  const { t } = useTranslation("products");
  const navigate = useNavigate();
  const product = useProduct();
  const organization = useOrganization();
  const { with: platform = "curl" } = integrateRoute.useSearch();
  const isSigned = product.signed_validation && organization.signed_validation;
  const newest = product.api_keys.find(({ expires_at }) => expires_at === null);
  const snippet = snippetFor(platform, { server: window.location.origin, productId: product.id, isSigned });
  return (
    <>
      <Panel title={t("integrate.keys")} lead={t("integrate.keysWords")}>
        <CodeBlock
          label={t("integrate.shell")}
          file={t("integrate.shell")}
          text={[
            `export COUNTERSIGN_API_KEY='${newest?.prefix ?? "csk"}_…'`,
            ...(isSigned ? ["export COUNTERSIGN_SIGNING_SECRETS='…'"] : []),
            ...(comesWithRequests.includes(platform) ? [] : ["export LICENSE_KEY='…'"]),
          ].join("\n")}
        />
        <Text size="sm" c="dimmed">
          <Trans
            t={t}
            i18nKey={isSigned ? "integrate.whereSigned" : "integrate.where"}
            components={{
              keys: (
                <GoLink to={paths.productKeys(organization.slug, product.id)} underline="always">
                  keys
                </GoLink>
              ),
            }}
          />
        </Text>
      </Panel>
      <Panel
        title={t("integrate.validate")}
        lead={isSigned ? t("integrate.signed") : t("integrate.unsigned")}
      >
        <Box style={{ overflowX: "auto", scrollbarWidth: "none" }}>
          <SegmentedControl<Platform>
            aria-label={t("integrate.with")}
            value={platform}
            onChange={(value) =>
              void navigate({
                ...paths.integrate(organization.slug, product.id, { with: value }),
                replace: true,
                resetScroll: false,
              })
            }
            data={choices}
          />
        </Box>
        <Stack gap="md">
          {snippet.install !== null && (
            <>
              <CodeBlock
                label={t("integrate.install")}
                file={snippet.install.startsWith("<") ? "pom.xml" : t("integrate.shell")}
                text={snippet.install}
              />
              <Text size="sm" c="dimmed">
                {t("integrate.notPublished")}
              </Text>
            </>
          )}
          <CodeBlock label={snippet.file} file={snippet.file} text={snippet.text} />
        </Stack>
      </Panel>
      <Panel title={t("integrate.act")}>
        <List spacing={6}>
          <List.Item>{t("integrate.actValid")}</List.Item>
          <List.Item>{t("integrate.actOutage")}</List.Item>
          <List.Item>{t("integrate.actIp")}</List.Item>
        </List>
      </Panel>
    </>
  );
}
