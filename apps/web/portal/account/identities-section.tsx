import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Me } from "../base/api.ts";
import { identitiesChanged, optionsQuery } from "../base/queries.ts";
import { announce } from "../ui/announce.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { IdentityName } from "../ui/identity-name.tsx";
import { Notice, Trouble } from "../ui/notice.tsx";
import { focusOn, Section } from "../ui/page.tsx";
import { Day } from "../ui/time.tsx";
import classes from "./account.module.css";
import { AddEmail } from "./add-email.tsx";

const heading = "identities";

type Identity = Me["identities"][number];

/** What the person has proven to own. Each brings its licenses. */
export function IdentitiesSection({ me }: { readonly me: Me }) {
  const { t } = useTranslation("portal");
  const options = useQuery(optionsQuery);
  const [removed, setRemoved] = useState<Identity | null>(null);
  const [isAdding, setAdding] = useState(false);
  const discord = useMutation({
    mutationFn: () => call("addPortalDiscord"),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  const remove = async (identity: Identity) => {
    identitiesChanged(await call("removePortalIdentity", { params: { identity_id: identity.id } }));
  };
  const isOnly = me.identities.length === 1;
  return (
    <Section id={heading} title={t("identities.title")}>
      <p>{t("identities.text")}</p>
      <DiscordFailure />
      <ul className={classes.list}>
        {me.identities.map((identity) => (
          <li key={identity.id}>
            <div className={classes.text}>
              <span className={classes.title}>
                <IdentityName identity={identity} />
              </span>
              <span className="small dimmed">
                {t("identities.since")} <Day at={identity.verified_at} />
              </span>
            </div>
            {!isOnly && (
              <Button
                isSmall
                aria-label={t("identities.removeOne", { name: identity.name ?? identity.value })}
                onClick={() => setRemoved(identity)}
              >
                {t("identities.remove")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isOnly && <p className="small dimmed">{t("identities.only")}</p>}
      {isAdding ? (
        <AddEmail
          onDone={(changed, email) => {
            identitiesChanged(changed);
            setAdding(false);
            announce(t("identities.added", { name: email }));
            requestAnimationFrame(() => focusOn(heading));
          }}
          onClose={() => {
            setAdding(false);
            requestAnimationFrame(() => focusOn(heading));
          }}
        />
      ) : (
        <div className={classes.actions}>
          <Button onClick={() => setAdding(true)}>{t("identities.addEmail")}</Button>
          {options.data?.discord === true && (
            <Button isBusy={discord.isPending || discord.isSuccess} onClick={() => discord.mutate()}>
              {t("identities.addDiscord")}
            </Button>
          )}
        </div>
      )}
      <Trouble error={discord.error} />
      {removed !== null && (
        <Confirm
          title={t("identities.removeTitle", { name: removed.name ?? removed.value })}
          label={t("identities.removeConfirm")}
          run={() => remove(removed)}
          onDone={() => {
            setRemoved(null);
            announce(t("identities.removed"));
            requestAnimationFrame(() => focusOn(heading));
          }}
          onClose={() => setRemoved(null)}
        >
          <p>{t("identities.removeText")}</p>
        </Confirm>
      )}
    </Section>
  );
}

/** Discord sends people back with a reason if it did not work. */
function DiscordFailure() {
  const { t } = useTranslation("portal");
  const reason = new URLSearchParams(window.location.search).get("error");
  if (reason === null) return null;
  return (
    <div role="alert">
      <Notice tone="danger">
        <p>
          {t(reason === "discord_too_many_identities" ? "identities.tooMany" : "identities.discordFailed")}
        </p>
      </Notice>
    </div>
  );
}
