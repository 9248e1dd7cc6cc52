import { useMutation, useQuery } from "@tanstack/react-query";
import { type ChangeEvent, type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, type License, type Seller } from "../base/api.ts";
import { licenseQuery, listsChanged, optionsQuery, queryClient } from "../base/queries.ts";
import { navigate } from "../base/router.tsx";
import { CancelTransfer, Recipient } from "../transfers/transfers-page.tsx";
import { announce } from "../ui/announce.tsx";
import { Button } from "../ui/button.tsx";
import dialogClasses from "../ui/dialog.module.css";
import { Dialog } from "../ui/dialog.tsx";
import { Field, fieldProblem, TextArea } from "../ui/field.tsx";
import { Badge, Trouble } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { Day } from "../ui/time.tsx";
import classes from "./license.module.css";

/** Nothing if the seller does not offer transfers. */
export function TransferSection({ license }: { readonly license: License }) {
  const { t } = useTranslation("portal");
  const [isOpen, setOpen] = useState(false);
  const { transfer, self_service: offers } = license;
  if (transfer !== null)
    return (
      <Section
        title={t("transfer.title")}
        mark={<Badge tone="warning">{t(`transfer.state.${transfer.state}`)}</Badge>}
      >
        <p>
          {t("transfer.pendingTo")}{" "}
          <strong>
            <Recipient transfer={transfer} />
          </strong>
        </p>
        <p>{t("transfer.pendingText", { seller: license.seller.name })}</p>
        {transfer.message !== null && <blockquote className={classes.quote}>{transfer.message}</blockquote>}
        <p className="small dimmed">
          {t("transfer.requested")} <Day at={transfer.requested_at} />
        </p>
        <CancelTransfer transfer={transfer} />
      </Section>
    );
  if (offers.transfers === "off") return null;
  return (
    <Section title={t("transfer.title")}>
      <p>{t(offers.transfers === "automatic" ? "transfer.introAutomatic" : "transfer.introReview")}</p>
      {offers.can_request_transfer ? (
        <div>
          <Button onClick={() => setOpen(true)}>{t("transfer.open")}</Button>
        </div>
      ) : (
        <p className="dimmed">{t("transfer.notNow")}</p>
      )}
      {isOpen && <TransferDialog license={license} onClose={() => setOpen(false)} />}
    </Section>
  );
}

const kinds = ["email", "discord_id"] as const;

/** The form's input. */
interface Request {
  readonly kind: (typeof kinds)[number];
  readonly target: string;
  readonly message: string;
}

interface TransferDialogProps {
  readonly license: License;
  readonly onClose: () => void;
}

/** To whom, then what will happen, because a transfer that was approved cannot be taken back. */
function TransferDialog({ license, onClose }: TransferDialogProps) {
  const { t } = useTranslation("portal");
  const [request, setRequest] = useState<Request>({ kind: "email", target: "", message: "" });
  const [isReviewing, setReviewing] = useState(false);
  const { kind } = request;
  const target = request.target.trim();
  const send = useMutation({
    mutationFn: () =>
      call("requestTransfer", {
        params: { license_id: license.id },
        body: { [kind]: target, message: request.message.trim() || null },
      }),
    onSuccess: (transfer) => {
      listsChanged();
      onClose();
      if (transfer.state === "approved") {
        announce(t("transfer.approvedAtOnce", { target }));
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
  if (!isReviewing)
    return (
      <Dialog title={t("transfer.formTitle")} onClose={onClose}>
        <RequestForm
          seller={license.seller}
          request={request}
          wrongTarget={fieldProblem(send.error, kind)}
          onChange={(changes) => {
            if (changes.kind !== undefined) send.reset();
            setRequest({ ...request, ...changes });
          }}
          onContinue={() => {
            send.reset();
            setReviewing(true);
          }}
          onClose={onClose}
        />
      </Dialog>
    );
  return (
    <Dialog title={t("transfer.reviewTitle")} onClose={onClose}>
      <div className={dialogClasses.content}>
        <Consequences license={license} target={target} />
        <Trouble error={send.error} />
        <div className={dialogClasses.actions}>
          <Button onClick={() => setReviewing(false)}>{t("transfer.edit")}</Button>
          <Button look="danger" isBusy={send.isPending} onClick={() => send.mutate()}>
            {t("transfer.submit")}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

interface RequestFormProps {
  readonly seller: Seller;
  readonly request: Request;
  readonly wrongTarget: string | null;
  readonly onChange: (changes: Partial<Request>) => void;
  readonly onContinue: () => void;
  readonly onClose: () => void;
}

function RequestForm({ seller, request, wrongTarget, onChange, onContinue, onClose }: RequestFormProps) {
  const { t } = useTranslation("portal");
  const options = useQuery(optionsQuery);
  const { kind, target, message } = request;
  const targetField = {
    error: wrongTarget,
    autoComplete: "off",
    required: true,
    value: target,
    onChange: (event: ChangeEvent<HTMLInputElement>) => onChange({ target: event.target.value }),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onContinue();
  };
  return (
    <form className={classes.stack} onSubmit={submit}>
      {options.data?.discord === true && (
        <fieldset className={classes.choices}>
          <legend>{t("transfer.by")}</legend>
          {kinds.map((name) => (
            <label key={name} className={classes.choice}>
              <input
                type="radio"
                name="kind"
                checked={kind === name}
                onChange={() => onChange({ kind: name, target: "" })}
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
          type="email"
          maxLength={254}
          {...targetField}
        />
      ) : (
        <Field
          key="discord"
          label={t("transfer.discordId")}
          hint={t("transfer.discordHint")}
          inputMode="numeric"
          pattern="\s*\d{1,20}\s*"
          {...targetField}
        />
      )}
      <TextArea
        label={t("transfer.message", { seller: seller.name })}
        hint={t("optional")}
        rows={3}
        maxLength={1_000}
        value={message}
        onChange={(event) => onChange({ message: event.target.value })}
      />
      <div className={dialogClasses.actions}>
        <Button onClick={onClose}>{t("cancel")}</Button>
        <Button type="submit" look="filled">
          {t("transfer.continue")}
        </Button>
      </div>
    </form>
  );
}

/** What the transfer does, which gets the focus. */
function Consequences({ license, target }: { readonly license: License; readonly target: string }) {
  const { t } = useTranslation("portal");
  const question = useRef<HTMLParagraphElement>(null);
  useEffect(() => question.current?.focus(), []);
  return (
    <>
      <p ref={question} tabIndex={-1}>
        {t("transfer.reviewText", { product: license.product.name, target })}
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
    </>
  );
}
