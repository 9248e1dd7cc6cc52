import { Alert, Button, Skeleton, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { mayOpen } from "../../session/navigation.ts";
import { paths } from "../../session/paths.ts";
import { effectivePlan, planName, usePlans, versionChecksOf } from "../../session/plan.ts";
import { Empty } from "../../ui/empty.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { ValidateHelp } from "../../ui/validate-help.tsx";
import { checksVersions } from "../products/frame/consequence.ts";
import { useProduct } from "../products/frame/use-product.ts";
import { useVersions } from "../products/frame/use-versions.ts";
import { ChoiceSetting, SwitchSetting } from "../products/settings/setting-kinds.tsx";
import { TryChange } from "../shadow/try-change.tsx";
import { AddVersion } from "./add-version.tsx";
import { ReplaceVersions } from "./replace-versions.tsx";
import { Timeline } from "./timeline.tsx";
import { TryVersion } from "./try-version.tsx";

/** Which versions of an app are allowed, and how others are handled. */
export function VersionsTab() {
  const { t } = useTranslation("versions");
  const product = useProduct();
  const organization = useOrganization();
  const plans = usePlans();
  const versionChecks = versionChecksOf(organization, plans);
  const plan = planName(plans, effectivePlan(organization));
  const mayManage = useMay()("products:manage");
  const { versions, revision, isPending, isWhole, error } = useVersions(product.id);
  const [isReplacing, setReplacing] = useState(false);
  const its = { product, isFixed: !mayManage };
  const refusesAll =
    checksVersions(product, { versionChecks }) &&
    isWhole &&
    versions.every(({ state }) => state === "blocked");
  return (
    <>
      <Panel
        title={t("enforcement.title")}
        lead={t("enforcement.words")}
        actions={<TryChange change="block_version" />}
      >
        {versionChecks !== "included" && (product.version_module_enabled || versionChecks !== "off") && (
          <Alert color="orange" icon={<Icon name="info" />}>
            {versionChecks === "off"
              ? t("enforcement.off", { plan })
              : t(
                  `products:versionChecks.${product.version_module_enabled ? versionChecks : "unavailable"}`,
                  {
                    plan,
                  },
                )}{" "}
            {mayOpen(organization, "settings/billing") && (
              <GoLink to={paths.billing(organization.slug)} inherit underline="always">
                {t("everywhere:openBilling")}
              </GoLink>
            )}
          </Alert>
        )}
        {refusesAll && (
          <Alert color="orange" icon={<Icon name="warning" />}>
            {t("enforcement.rejectsAll")}
          </Alert>
        )}
        <div>
          <SwitchSetting name="version_module_enabled" {...its} />
          <ChoiceSetting name="version_enforcement" choices={["enforce", "report"]} {...its} />
        </div>
      </Panel>
      <Panel
        title={t("title")}
        lead={t("lead")}
        actions={
          mayManage &&
          isWhole && (
            <Button variant="default" onClick={() => setReplacing(true)}>
              {t("replace.open")}
            </Button>
          )
        }
      >
        <ValidateHelp about="versionList" />
        {mayManage && <AddVersion productId={product.id} />}
        <ProblemAlert error={error} />
        {isPending && (
          <Stack gap="sm" aria-hidden="true">
            {[0, 1, 2, 3].map((line) => (
              <Skeleton key={line} height={34} />
            ))}
          </Stack>
        )}
        {isWhole && versions.length === 0 ? (
          <Empty icon="product" title={t("empty.title")}>
            {t("empty.words")}
          </Empty>
        ) : (
          <Timeline product={product} versions={versions} mayManage={mayManage} />
        )}
      </Panel>
      {isWhole && versions.length > 0 && <TryVersion versions={versions} />}
      <ReplaceVersions
        productId={product.id}
        versions={versions}
        revision={revision}
        opened={isReplacing}
        onClose={() => setReplacing(false)}
      />
    </>
  );
}
