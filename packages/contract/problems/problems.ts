import { billingFieldErrors, billingProblems } from "./billing.ts";
import {
  type DeclaredProblem,
  type FieldErrorBody,
  filled,
  type Params,
  type ParamsOf,
  type Text,
} from "./declare.ts";
import { generalFieldErrors, generalProblems } from "./general.ts";
import { identityFieldErrors, identityProblems } from "./identity.ts";
import { licensesFieldErrors, licensesProblems } from "./licenses.ts";
import { organizationsFieldErrors, organizationsProblems } from "./organizations.ts";
import { portalFieldErrors, portalProblems } from "./portal.ts";

/** Every reason why the management, sign-in and setup APIs refuse a request, by its stable code. */
export const problems = {
  ...generalProblems,
  ...identityProblems,
  ...organizationsProblems,
  ...licensesProblems,
  ...portalProblems,
  ...billingProblems,
} as const satisfies Record<string, DeclaredProblem>;

export type ProblemCode = keyof typeof problems;
export type ProblemParams<C extends ProblemCode> = ParamsOf<(typeof problems)[C]["text"]>;

/** Everything that can be wrong with one field, by its stable code. Each text continues the field's name. */
export const fieldErrors = {
  ...generalFieldErrors,
  ...identityFieldErrors,
  ...organizationsFieldErrors,
  ...licensesFieldErrors,
  ...portalFieldErrors,
  ...billingFieldErrors,
} as const satisfies Record<string, Text>;

export type FieldErrorCode = keyof typeof fieldErrors;
export type FieldErrorParams<C extends FieldErrorCode> = ParamsOf<(typeof fieldErrors)[C]>;

/** What is wrong with a field that is known from elsewhere. */
export type FieldFault = {
  readonly [C in FieldErrorCode]: { readonly code: C; readonly params: FieldErrorParams<C> };
}[FieldErrorCode];

/** `params` can be omitted where a code has none. */
export type ParamsArgument<P> = [keyof P] extends [never] ? [params?: P] : [params: P];

export function fieldFault<C extends FieldErrorCode>(
  code: C,
  ...[params]: ParamsArgument<FieldErrorParams<C>>
): FieldFault {
  return { code, params: params ?? {} } as FieldFault;
}

/** For a rule of a schema, whose message is the code. */
export function fieldCode<C extends FieldErrorCode>(
  code: [keyof FieldErrorParams<C>] extends [never] ? C : never,
): string {
  return code;
}

export function isFieldErrorCode(text: string): text is FieldErrorCode {
  return Object.hasOwn(fieldErrors, text);
}

export function problemText(code: ProblemCode, params: Params): string {
  return filled(problems[code].text, params);
}

/** A wrong field as a response contains it. */
export function fieldErrorBody(field: string, { code, params }: FieldFault): FieldErrorBody {
  return { field, code, params, message: `${field} ${filled(fieldErrors[code], params)}.` };
}
