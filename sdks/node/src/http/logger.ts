/** Where to log. `console` is one; `{}` logs nothing. */
export interface Logger {
  debug?(message: string, details: object): void;
  info?(message: string, details: object): void;
  warn?(message: string, details: object): void;
  error?(message: string, details: object): void;
}
