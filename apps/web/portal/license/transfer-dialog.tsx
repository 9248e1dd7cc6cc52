import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type License } from "../base/api.ts";
import { licenseQuery, listsChanged, optionsQuery, queryClient } from "../base/queries.ts";
import { navigate } from "../base/router.tsx";
import { announce } from "../ui/announce.tsx";
import { Button } from "../ui/button.tsx";
import dialogClasses from "../ui/dialog.module.css";
import { Dialog } from "../ui/dialog.tsx";
import { Field, TextArea } from "../ui/field.tsx";
import { fieldProblem } from "../ui/field-problem.ts";
import { Trouble } from "../ui/notice.tsx";
import classes from "./license.module.css";

const kinds = ["email", "discord_id"] as const;

interface TransferDialogProps {
  readonly license: License;
  readonly onClose: () => void;
}

/** To whom, then what will happen, because a transfer that was approved cannot be taken back. */
export function TransferDialog({ license, onClose }: TransferDialogProps) {
  const { t } = useTranslation("portal");
  const options = useQuery(optionsQuery);
  const [kind, setKind] = useState<(typeof kinds)[number]>("email");
  const [target, setTarget] = useState("");
  const [message, setMessage] = useState("");
  const [isReviewing, setReviewing] = useState(false);
  const confirm = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (isReviewing) confirm.current?.focus();
  }, [isReviewing]);
  const request = useMutation({
    mutationFn: () =>
      call("requestTransfer", {
        params: { license_id: license.id },
        body: { [kind]: target.trim(), message: message.trim() === "" ? null : message.trim() },
      }),
    onSuccess: (transfer) => {
      listsChanged();
      onClose();
      if (transfer.state === "approved") {
        announce(t("transfer.approvedAtOnce", { target: target.trim() }));
        queryClient.removeQueries({ queryKey: licenseQuery(license.id).queryKey });
        navigate("/");
      } else {
        announce(t("transfer.sent"));
        void queryClient.invalidateQueries({ queryKey: licenseQuery(license.id).queryKey });
      }
    },
    onError: (error) => {
      // What is wrong with the recipient can only be corrected in the form.
      if (fieldProblem(error, kind) !== null) setReviewing(false);
    },
  });
  const wrongTarget = fieldProblem(request.error, kind);
  const review = (event: FormEvent) => {
    event.preventDefault();
    request.reset();
    setReviewing(true);
  };
  if (isReviewing)
    return (
      <Dialog title={t("transfer.reviewTitle")} onClose={onClose}>
        <div className={dialogClasses.content}>
          <p ref={confirm} tabIndex={-1}>
            {t("transfer.reviewText", { product: license.product.name, target: target.trim() })}
          </p>
          <ul className={classes.bullets}>
            <li>
              {t(
                license.self_service.transfers === "automatic"
                  ? "transfer.decidedAutomatically"
                  : "transfer.decidedBySeller",
                { seller: license.seller.name },
              )}
            </li>
            <li>{t("transfer.youLoseIt")}</li>
            <li>{t("transfer.yourDevices")}</li>
            <li>{t("transfer.notReversible")}</li>
          </ul>
          <Trouble error={request.error} />
          <div className={dialogClasses.actions}>
            <Button onClick={() => setReviewing(false)}>{t("transfer.edit")}</Button>
            <Button look="danger" isBusy={request.isPending} onClick={() => request.mutate()}>
              {t("transfer.submit")}
            </Button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={t("transfer.formTitle")} onClose={onClose}>
      <form className={classes.stack} onSubmit={review}>
        {options.data?.discord === true && (
          <fieldset className={classes.choices}>
            <legend>{t("transfer.by")}</legend>
            {kinds.map((name) => (
              <label key={name} className={classes.choice}>
                <input
                  type="radio"
                  name="kind"
                  checked={kind === name}
                  onChange={() => {
                    setKind(name);
                    setTarget("");
                    request.reset();
                  }}
                />
                {t(`transfer.kind.${name}`)}
              </label>
            ))}
          </fieldset>
        )}
        {kind === "email" ? (
          <Field
            key="email"
            label={t("transfer.email")}
            hint={t("transfer.emailHint")}
            error={wrongTarget}
            type="email"
            autoComplete="off"
            required
            maxLength={254}
            value={target}
            onChange={(event) => setTarget(event.target.value)}
          />
        ) : (
          <Field
            key="discord"
            label={t("transfer.discordId")}
            hint={t("transfer.discordHint")}
            error={wrongTarget}
            inputMode="numeric"
            pattern="\s*\d{1,20}\s*"
            autoComplete="off"
            required
            value={target}
            onChange={(event) => setTarget(event.target.value)}
          />
        )}
        <TextArea
          label={t("transfer.message", { seller: license.seller.name })}
          hint={t("optional")}
          rows={3}
          maxLength={1_000}
          value={message}
          onChange={(event) => setMessage(event.target.value)}
        />
        <div className={dialogClasses.actions}>
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button type="submit" look="filled">
            {t("transfer.continue")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
