import { Alert, Button, List, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Time } from "../../ui/time.tsx";
import { OverlapChoice } from "./overlap-choice.tsx";
import classes from "./signing-secret.module.css";
import type { Product } from "./use-product.ts";

/** The secret that signs responses. It can be shown again, because apps need a copy of it. */
export function SigningSecret({ product, mayRotate }: { product: Product; mayRotate: boolean }) {
  const { t } = useTranslation("products");
  const [isRotating, setRotating] = useState(false);
  const [overlapSeconds, setOverlapSeconds] = useState(604_800);
  const reveal = useChange("revealSigningSecret");
  const rotate = useChange("rotateSigningSecret");
  const params = { product_id: product.id };
  const shown = reveal.data;
  return (
    <Panel
      title={t("signing.title")}
      lead={t("signing.lead")}
      actions={
        mayRotate && (
          <>
            <Button
              variant="default"
              loading={reveal.isPending}
              onClick={() => (shown === undefined ? reveal.mutate({ params }) : reveal.reset())}
            >
              {shown === undefined ? t("signing.reveal") : t("signing.hide")}
            </Button>
            <Button variant="default" onClick={() => setRotating(true)}>
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
      <ProblemAlert error={reveal.error} />
      {shown !== undefined && (
        <Stack gap="sm">
          <Secret signingKey={shown.current} words={t("signing.current")} />
          {shown.upcoming !== null && (
            <Secret signingKey={shown.upcoming} words={t("signing.upcoming")} isUpcoming />
          )}
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
      <Confirm
        opened={isRotating}
        onClose={() => setRotating(false)}
        title={t("signing.rotate")}
        action={t("signing.rotateDo")}
        harmless={overlapSeconds > 0}
        onConfirm={async () => {
          await rotate.mutateAsync({ params, body: { overlap_seconds: overlapSeconds } });
          reveal.mutate({ params });
        }}
      >
        <Stack gap="sm">
          <Text>{t("signing.rotateWords")}</Text>
          <OverlapChoice
            label={t("signing.overlap")}
            choices={[0, 86_400, 604_800, 1_209_600, 2_592_000]}
            value={overlapSeconds}
            onChange={setOverlapSeconds}
          />
          <Text size="sm" c="dimmed">
            {overlapSeconds === 0 ? t("signing.overlapNone") : t("signing.overlapSome")}
          </Text>
        </Stack>
      </Confirm>
    </Panel>
  );
}

type SigningKey = Answer<"rotateSigningSecret">;

function Secret(props: { signingKey: SigningKey; words: string; isUpcoming?: boolean }) {
  const { t } = useTranslation("products");
  const { signingKey, words, isUpcoming = false } = props;
  return (
    <div className={classes.secret}>
      <Text size="sm" fw={600}>
        {words}
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
    </div>
  );
}
