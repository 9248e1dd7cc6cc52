import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../base/api.ts";
import { Button } from "../ui/button.tsx";
import { Trouble } from "../ui/notice.tsx";
import classes from "./sign-in.module.css";

export function DiscordButton({ next }: { readonly next: string }) {
  const { t } = useTranslation("portal");
  const start = useMutation({
    mutationFn: () => call("startPortalDiscord", { body: { next } }),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  return (
    <div className={classes.wide}>
      <Button isBusy={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
        {t("signIn.discord")}
      </Button>
      <Trouble error={start.error} />
    </div>
  );
}
