import { Button, Group, Loader, Modal, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/queries.ts";
import { setConnection, useConnection } from "../../api/send.ts";
import { useMe } from "../../session/current-organization.ts";
import { Icon } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import classes from "./shell.module.css";

const everyMs = 3_000;

/** Reports that the server is unreachable or the session has expired, without discarding unsaved input. */
export function ConnectionNotes() {
  const { t } = useTranslation();
  const connection = useConnection();
  return (
    <>
      {connection === "lost" && <Lost />}
      <Modal
        opened={connection === "signed_out"}
        onClose={() => setConnection("good")}
        title={t("connection.signedOut")}
        // The session can end while any other dialog is open or opens.
        zIndex={350}
      >
        <SignedOut />
      </Modal>
    </>
  );
}

function Lost() {
  const { t } = useTranslation();
  useEffect(() => {
    const timer = setInterval(() => void call("getMe").catch(() => undefined), everyMs);
    return () => {
      clearInterval(timer);
      // Reload what could not be loaded in the meantime.
      void queryClient.invalidateQueries();
    };
  }, []);
  return (
    <div role="status" className={classes.lost}>
      <Loader size={14} color="currentColor" />
      {t("connection.lost")}
    </div>
  );
}

/** In another tab: signing in can take several steps, and this page keeps its input. */
function SignedOut() {
  const { t } = useTranslation();
  const me = useMe();
  useEffect(() => {
    const look = async () => {
      if (document.hidden) return;
      const { id } = await call("getMe");
      if (id !== me.id) window.location.assign("/");
      await queryClient.invalidateQueries();
      notify(t("connection.signedInAgain"));
    };
    const timer = setInterval(() => void look().catch(() => undefined), everyMs);
    return () => clearInterval(timer);
  }, [me.id, t]);
  return (
    <Stack>
      <Text>{t("connection.signedOutWords")}</Text>
      <Group justify="flex-end">
        <Button
          component="a"
          href="/sign-in"
          target="_blank"
          rightSection={<Icon name="right" size={14} />}
          data-autofocus
        >
          {t("connection.signIn")}
        </Button>
      </Group>
    </Stack>
  );
}
