import type { Logger } from "@countersign/node";
import { Logger as NestLogger } from "@nestjs/common";

const logger = new NestLogger("Countersign");

/** The logger of the app. It takes no details, so they become part of the message. */
export const nestLogger: Logger = {
  warn: (message, details) => logger.warn(lineOf(message, details)),
  error: (message, details) => logger.error(lineOf(message, details)),
};

function lineOf(message: string, details: object): string {
  const shown = Object.entries(details).filter(([, value]) => value !== null && value !== undefined);
  return shown.length === 0 ? message : `${message} ${JSON.stringify(Object.fromEntries(shown))}`;
}
