import type { Generated } from "kysely";

export type Flag = 0 | 1;

/** Columns that a new row can omit. */
export type WithDefaults<Row, Column extends keyof Row> = Omit<Row, Column> & {
  [K in Column]: Generated<Row[K]>;
};
