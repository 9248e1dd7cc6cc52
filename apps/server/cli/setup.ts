import { type Language, languages } from "@countersign/domain/mail/languages";
import { type Plan, plans } from "@countersign/domain/quota/limit";
import { plainLine } from "@countersign/domain/text/plain-line";
import { readConfig } from "../base/config.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import {
  type Account,
  preparePerson,
  setUpPerson,
} from "../features/identity/account/command-line-account.ts";
import {
  isCommon,
  maxPasswordLength,
  minPasswordLength,
} from "../features/identity/passwords/password-rules.ts";
import { isSignInEmail } from "../features/identity/sign-in-email.ts";
import { addOrganization } from "../features/organizations/create.ts";
import { addProduct } from "../features/products/product.ts";
import { platformSettings } from "../features/settings/platform-settings.ts";
import { type Command, oneOf, printJson, printLines, readOptions } from "./command.ts";
import { validateCurl } from "./curl.ts";
import { withStore } from "./with-store.ts";

export const setup: Command = {
  name: "setup",
  help: `countersign setup --organization NAME --product NAME [options]

Creates an organization with a product, and prints the product's API key, which is shown only once. Works on an empty
data directory as well as while a server runs.

  --organization NAME   the organization that sells the software
  --product NAME        its first product
  --plan PLAN           free, pro or enterprise (default: the server's plan for new organizations)
  --email ADDRESS       the owner's email address
  --password PASSWORD   the owner's password, 8 characters or more; the current one if they have an account
  --language LANGUAGE   the language of emails to the owner and to customers: ${languages.join(", ")}
                        (default: from LANG)
  --json                print one JSON object: user_id, organization_id, product_id, api_key, access_token

With an email address and a password, the owner gets an account and an access token with every permission, and becomes
the platform admin if the server has no accounts yet. An existing account keeps its language. Without them, the
organization has no owner until the first account is created, and user_id and access_token are null.
`,
  async run(args, environment) {
    const { values } = readOptions("setup", args, {
      organization: { type: "string" },
      product: { type: "string" },
      plan: { type: "string" },
      email: { type: "string" },
      password: { type: "string" },
      language: { type: "string" },
      json: { type: "boolean" },
    });
    const config = readConfig(environment);
    const organization = name(
      "--organization",
      values.organization,
      "the organization that sells the software",
    );
    const product = name("--product", values.product, "its first product");
    const wantedPlan = values.plan === undefined ? null : planNamed(values.plan);
    const language = values.language === undefined ? null : oneOf("language", values.language, languages);
    const account = readAccount(values.email, values.password, language ?? config.language);
    if (account !== null && (await isCommon(account.password))) {
      process.stderr.write("This password is too common. Change it soon.\n");
    }
    const created = await withStore(config, async (store) => {
      const ready = account === null ? null : await preparePerson(store.reads, account);
      return store.transaction(async (db) => {
        const nowMs = Date.now();
        const person = ready === null ? null : await setUpPerson(db, ready, nowMs);
        const ownerId = person?.userId ?? null;
        const plan = wantedPlan ?? (await platformSettings(db, config)).default_plan;
        const locale = language ?? ready?.locale ?? config.language;
        const wanted = { name: organization, plan, ownerId, locale };
        const { id, slug } = await addOrganization(db, wanted, nowMs);
        const first = await addProduct(db, store.sealer, { organizationId: id, name: product }, nowMs);
        return { person, organizationId: id, slug, plan, productId: first.id, apiKey: first.apiKey };
      });
    });
    if (values.json === true) {
      printJson({
        user_id: created.person?.userId ?? null,
        organization_id: created.organizationId,
        product_id: created.productId,
        api_key: created.apiKey,
        access_token: created.person?.accessToken ?? null,
      });
    } else {
      printLines([
        `The organization ${organization} (${created.slug}, plan ${created.plan}) and its product ${product} are ready.`,
        ...(account === null || created.person === null
          ? [
              "It has no owner. If this server has no account yet, the first one will own it. To create the owner at once, add --email and --password.",
            ]
          : [
              `Sign in at ${config.url} as ${account.email.trim()}, while the server runs.`,
              "",
              "The access token for the management API, shown only once:",
              `  ${created.person.accessToken}`,
            ]),
        "",
        "The product's API key, shown only once:",
        `  ${created.apiKey}`,
        "",
        "Validate a license key. The result is license_not_found until the product has that license:",
        `  ${validateCurl(config.url, created.apiKey, { license_key: "0000-0000-0000-0000" })}`,
      ]);
    }
    return 0;
  },
};

const maxNameLength = 100;

function name(option: string, text: string | undefined, meaning: string): string {
  const value = text?.trim() ?? "";
  if (value === "") throw new OperatorProblem(`Add ${option} with the name of ${meaning}.`);
  if (value.length > maxNameLength) {
    throw new OperatorProblem(`${option} is too long. A name can have at most ${maxNameLength} characters.`);
  }
  if (!plainLine.test(value)) {
    throw new OperatorProblem(
      `${option} must be a single line of text, without control characters and without characters that change the direction of text.`,
    );
  }
  return value;
}

function planNamed(text: string): Plan {
  const plan = plans.find((candidate) => candidate === text);
  if (plan !== undefined) return plan;
  throw new OperatorProblem(`--plan is "${text}". It must be one of: ${plans.join(", ")}.`);
}

function readAccount(
  email: string | undefined,
  password: string | undefined,
  locale: Language,
): Account | null {
  if (email === undefined && password === undefined) return null;
  if (email === undefined) throw new OperatorProblem("Add --email with the owner's email address.");
  if (password === undefined) throw new OperatorProblem("Add --password with the owner's password.");
  if (!isSignInEmail(email.trim())) {
    throw new OperatorProblem(`--email is "${email}". It must be an email address, such as ada@example.com.`);
  }
  if (password.length < minPasswordLength) {
    throw new OperatorProblem(
      `--password is too short. It must have at least ${minPasswordLength} characters.`,
    );
  }
  if (password.length > maxPasswordLength) {
    throw new OperatorProblem(`--password is too long. It can have at most ${maxPasswordLength} characters.`);
  }
  return { email, password, locale };
}
