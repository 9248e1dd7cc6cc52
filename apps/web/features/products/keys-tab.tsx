import { Alert, Box, Button, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask, useChange } from "../../api/queries.ts";
import { useMay } from "../../session/current-organization.ts";
import { Copyable } from "../../ui/copy.tsx";
import { ValidateHelp } from "../../ui/help.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Panel } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { ConfirmIdentity } from "../account/proof.tsx";
import { ApiKeys } from "./api-keys.tsx";
import { type Product, useProduct } from "./frame/use-product.ts";
import { useRotation } from "./rotation.tsx";

export function KeysTab() {
  const product = useProduct();
  const mayRotate = useMay()("products:rotate_key");
  return (
    <>
      <Box mb="md">
        <ValidateHelp about="apiKeys" />
      </Box>
      <ApiKeys product={product} mayRotate={mayRotate} />
      <SigningSecret product={product} mayRotate={mayRotate} />
    </>
  );
}

/** The secret that signs responses. It can be shown again, because apps need a copy of it. */
function SigningSecret({ product, mayRotate }: { product: Product; mayRotate: boolean }) {
  const { t } = useTranslation("products");
  const [isProving, setProving] = useState(false);
  const reveal = useChange("revealSigningSecret");
  const rotate = useChange("rotateSigningSecret");
  const params = { product_id: product.id };
  const { data: access } = useQuery(ask("getSigningSecret", { params }));
  const shown = reveal.data;
  const created = rotate.data;
  const hide = () => {
    reveal.reset();
    rotate.reset();
  };
  const rotation = useRotation("signing", {
    overlaps: [0, 86_400, 604_800, 1_209_600, 2_592_000],
    usualOverlap: 604_800,
    rotate: async (overlapSeconds) => {
      await rotate.mutateAsync({ params, body: { overlap_seconds: overlapSeconds } });
      // What is shown may no longer be the next secret.
      reveal.reset();
    },
  });
  return (
    <Panel
      title={t("signing.title")}
      lead={t("signing.lead")}
      actions={
        mayRotate && (
          <>
            {(shown !== undefined || created !== undefined) && (
              <Button variant="default" onClick={hide}>
                {t("signing.hide")}
              </Button>
            )}
            {shown === undefined && (
              <Button variant="default" onClick={() => setProving(true)}>
                {t("signing.reveal")}
              </Button>
            )}
            <Button variant="default" onClick={() => rotation.ask()}>
              {t("signing.rotate")}
            </Button>
          </>
        )
      }
    >
      {!product.signed_validation && (
        <Alert color="gray" icon={<Icon name="info" />}>
          {t("signing.off")}
        </Alert>
      )}
      {access !== undefined && (
        <Text size="sm">
          {access.last_revealed_at === null ? (
            t("signing.neverShown")
          ) : (
            <>
              {t("signing.lastShown", { name: access.last_revealed_by })}{" "}
              <Time at={access.last_revealed_at} />
            </>
          )}
        </Text>
      )}
      {created !== undefined && shown === undefined && (
        <Secret signingKey={created} isUpcoming={Date.parse(created.active_from) > Date.now()} />
      )}
      {shown !== undefined && (
        <Stack gap="sm">
          <Secret signingKey={shown.current} />
          {shown.upcoming !== null && <Secret signingKey={shown.upcoming} isUpcoming />}
          <Text size="sm" c="dimmed">
            {t("signing.logged")}
          </Text>
        </Stack>
      )}
      <List type="ordered" size="md" spacing={4}>
        <List.Item>{t("signing.steps.rotate")}</List.Item>
        <List.Item>{t("signing.steps.both")}</List.Item>
        <List.Item>{t("signing.steps.remove")}</List.Item>
      </List>
      <ConfirmIdentity
        opened={isProving}
        onClose={() => setProving(false)}
        title={t("signing.reveal")}
        words={t("signing.prove")}
        action={t("signing.reveal")}
        run={(body) => reveal.mutateAsync({ params, body })}
      />
      {rotation.dialog}
    </Panel>
  );
}

type SigningKey = Answer<"rotateSigningSecret">;

function Secret({ signingKey, isUpcoming = false }: { signingKey: SigningKey; isUpcoming?: boolean }) {
  const { t } = useTranslation("products");
  return (
    <Box miw={0} p="sm" bg="var(--app-sunken)" style={{ borderRadius: "var(--mantine-radius-md)" }}>
      <Text size="sm" fw={600}>
        {t(isUpcoming ? "signing.upcoming" : "signing.current")}
        {isUpcoming && (
          <>
            {" "}
            <Time at={signingKey.active_from} />
          </>
        )}
      </Text>
      <Copyable value={signingKey.secret} />
      <Text size="sm" c="dimmed">
        {t("signing.id")} <span className="mono">{signingKey.id}</span>
      </Text>
    </Box>
  );
}
