import type { Context } from '../model/ports.ts';
import type { Page } from '../model/records.ts';
import { columnsOf } from '../print/labels.ts';
import type { Column } from '../print/output.ts';
import { DescribedCommand, serviceCommand } from '../session/command-line.ts';
import { withSession } from '../session/session.ts';
import { listFrom, printList, withListFlags } from './list.ts';

/** A list that the service does not page, with fields that the contract does not show. */
interface ShortList {
  readonly name: 'countries' | 'roles';
  readonly singular: string;
  readonly operation: 'listCountries' | 'listRoles';
  readonly description: string;
  readonly columns: readonly Column[];
  /** The columns for people. */
  readonly table: readonly Column[];
}

/**
 * `roles list`: the roles of the account.
 *
 * GET /api/v1/roles. The public service gives bare names. The list does not show
 * which roles can be used in invitations.
 */
export function rolesCommands(context: Context) {
  return shortListCommands(context, {
    name: 'roles',
    singular: 'role',
    operation: 'listRoles',
    description: 'List the roles of the account.',
    columns: columnsOf('name'),
    table: columnsOf('name'),
  });
}

/**
 * `countries list`: in which countries a property may be.
 *
 * GET /inventory/v1/types/countries. The contract does not show the fields; the public service gives bare codes.
 */
export function countriesCommands(context: Context) {
  const nameOf = countryNames();
  const named = { field: 'name', header: 'Name', format: 'language' } as const;
  return shortListCommands(context, {
    name: 'countries',
    singular: 'country',
    operation: 'listCountries',
    description: 'List the countries available for properties.',
    columns: columnsOf('code name', [named]),
    table: columnsOf('code name', [{ ...named, value: ({ code, name }) => name ?? nameOf(code) }]),
  });
}

/** The English names of countries by code; `undefined` for any other value. */
function countryNames(): (code: unknown) => string | undefined {
  let names: Intl.DisplayNames | undefined;
  return (code) => {
    if (typeof code !== 'string' || !/^[A-Z]{2}$/.test(code)) return undefined;
    // Its data takes long to load, and few runs need it.
    names ??= new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
    return names.of(code);
  };
}

/** The commands of a noun that can only be listed. --limit and --page-number are applied here. */
function shortListCommands(
  context: Context,
  { name, singular, operation, description, columns, table }: ShortList,
) {
  const command = serviceCommand('list ls', 'reads', [`${name} list`, `${name} list --json`])
    .summary(`list ${name}`)
    .description(description);
  const list = withListFlags(command).action(
    withSession(context, async (session, options) => {
      const { filter, extent } = await listFrom(options, operation, session);
      const read: Page[] = [];
      for await (const page of session.api[name].list(filter, extent)) read.push(page);
      const records = read.flatMap(({ items }) => items);
      const isShown = ({ field }: Column) => records.some((record) => Object.hasOwn(record, field));
      const [first, ...others] = columns;
      const shown = first === undefined ? [] : [first, ...others.filter(isShown)];
      const shape = { noun: [singular, name], columns: shown, table } as const;
      await printList({ kind: name, shape, filter, extent, pages: read }, session);
    }),
  );
  return new DescribedCommand(`${name} ${singular}`, { examples: [`${name} list`] })
    .summary(`list ${name}`)
    .description(description)
    .addCommand(list);
}
