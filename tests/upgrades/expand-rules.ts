import { type Migration, statementsFor } from "@countersign/store/migrations/migration";

const constant = /default (?:-?\d+|'[^']*'|true|false)(?![\w(])/;

/**
 * What a server of the release before could not survive in a migration that expands. Only forms that are known to be
 * harmless are accepted. A table that the migration itself creates can be anything.
 */
export function problemsOf(migration: Migration): string[] {
  return (["sqlite", "postgres"] as const).flatMap((kind) => {
    const statements = statementsFor(migration, kind).map(plain);
    const created = new Set(
      statements.flatMap((text) => /^create table (?:if not exists )?(\w+)/.exec(text)?.[1] ?? []),
    );
    return statements.flatMap((text) => {
      const problem = problemOf(text, created);
      return problem === null ? [] : [`${kind}: ${problem}: ${text.slice(0, 80)}`];
    });
  });
}

function plain(statement: string): string {
  return statement
    .replace(/\/\*.*?\*\/|--[^\n]*/gs, " ")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

function problemOf(text: string, created: ReadonlySet<string>): string | null {
  if (/^create table /.test(text)) return null;
  const table = /^(?:create (?:unique )?index .+? on|insert into|alter table(?: if exists)?) (\w+)/.exec(
    text,
  )?.[1];
  if (table !== undefined && created.has(table)) return null;
  if (/^create index /.test(text)) return null;
  if (/^create unique index /.test(text)) return "rows that older servers add may not be unique";
  if (/^create (?:or replace )?function /.test(text)) return null;
  if (/^create trigger /.test(text)) return null;
  if (/^insert into platform_state /.test(text)) return null;
  if (/^alter table \w+ set \(/.test(text)) return null;
  if (/^alter table \w+ add column /.test(text)) return columnProblem(text);
  return "it is none of the statements that only add";
}

/** Servers of the release before insert rows without it. */
function columnProblem(text: string): string | null {
  if (/, (?:add|drop|alter|rename) /.test(text)) return "one statement changes several things";
  if (/ unique\b| primary key\b/.test(text)) return "rows that older servers add may not be unique";
  if (/ not null\b/.test(text) && !constant.test(text)) return "older servers add rows without a value";
  if (/ default /.test(text) && !constant.test(text)) return "the default is not a constant";
  return null;
}
