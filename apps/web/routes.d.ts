declare module "virtual:routes" {
  /** Method and path of each route, by its id. */
  export const manage: Readonly<Record<string, string>>;
  export const auth: Readonly<Record<string, string>>;
}
