import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type Me } from "../base/api.ts";
import { identitiesChanged, optionsQuery } from "../base/queries.ts";
import { useCodeEntry } from "../sign-in/code-form.tsx";
import { announce } from "../ui/announce.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { Field, fieldProblem } from "../ui/field.tsx";
import { IdentityName } from "../ui/identity-name.tsx";
import { DiscordFailure, Trouble } from "../ui/notice.tsx";
import { focusOn, Section } from "../ui/page.tsx";
import { Day } from "../ui/time.tsx";
import classes from "./account.module.css";

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
      <DiscordFailure
        textOf={(reason) =>
          t(reason === "discord_too_many_identities" ? "identities.tooMany" : "identities.discordFailed")
        }
      />
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

interface AddEmailProps {
  readonly onDone: (me: Me, email: string) => void;
  readonly onClose: () => void;
}

/** The code proves that the email address is the person's own. */
function AddEmail({ onDone, onClose }: AddEmailProps) {
  const { t } = useTranslation("portal");
  const [email, setEmail] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const request = useMutation({ mutationFn: () => call("addPortalEmail", { body: { email } }) });
  const code = useCodeEntry(
    (digits) => call("verifyPortalEmail", { body: { email, code: digits } }),
    (me) => onDone(me, email),
  );
  const isSent = request.isSuccess;
  const focused = isSent ? code.field : field;
  useEffect(() => focused.current?.focus(), [focused]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSent) code.submit(event);
    else if (!request.isPending) request.mutate();
  };
  const wrongEmail = fieldProblem(request.error, "email");
  return (
    <form className={classes.form} onSubmit={submit}>
      {isSent ? (
        <>
          <p>{t("identities.codeText", { email })}</p>
          {code.input}
          <Trouble error={code.verify.error} />
        </>
      ) : (
        <>
          <Field
            ref={field}
            label={t("identities.newEmail")}
            hint={t("identities.newEmailHint")}
            error={wrongEmail}
            type="email"
            autoComplete="email"
            required
            maxLength={254}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <Trouble error={wrongEmail === null ? request.error : null} />
        </>
      )}
      <div className={classes.actions}>
        <Button onClick={onClose}>{t("cancel")}</Button>
        <Button type="submit" look="filled" isBusy={request.isPending || code.verify.isPending}>
          {isSent ? t("identities.confirm") : t("identities.sendCode")}
        </Button>
      </div>
    </form>
  );
}
