import { detailsFor, invalidInput, usageError } from '../../cli/errors.ts';
import type { InventoryField } from '../../model/inventory-fields.ts';
import { choiceProblem } from '../../model/names.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { languageProblem } from '../../model/values.ts';
import { givenFields } from './fields.ts';
import type { InventoryKind } from './kind.ts';

/** The flags of updates that are no fields, as typed. */
export interface ChangeFlags {
  readonly property?: string;
  readonly unset?: readonly string[];
  readonly verify: boolean;
}

/** What an update sets and removes. */
export interface Changes {
  readonly values: ServiceRecord;
  /** Optional fields, and languages of texts: `rank`, `name.de`. */
  readonly unset: readonly string[];
}

/** The changes of flags. @throws {CliError} exit 2 with all problems, or without a change. */
export function changesFrom(
  flags: ChangeFlags,
  fields: readonly InventoryField[],
  { words }: InventoryKind,
  removable: readonly string[] = ['rank'],
): Changes {
  const { values, details } = givenFields(flags, fields);
  const unset = flags.unset ?? [];
  const texts = fields.filter(({ kind }) => kind === 'languages').map(({ name }) => name);
  const wrong = unset.flatMap((path) => {
    const [name = '', ...language] = path.split('.');
    const isText = texts.includes(name) && language.length > 0;
    const known = [...removable, ...texts.map((text) => `${text}.de`)];
    const isTwice = isText ? isRecord(values[name]) && language.join('.') in values[name] : name in values;
    const reason = isText ? languageProblem(language.join('.')) : choiceProblem(path, known);
    return detailsFor('--unset', reason ?? (isTwice ? `${path} is set by a flag too` : undefined));
  });
  if (details.length + wrong.length > 0)
    throw invalidInput([...details, ...wrong], `innctl ${words} update --help`);
  if (Object.keys(values).length + unset.length === 0)
    throw usageError('No changes given.', `innctl ${words} update --help`);
  return { values, unset };
}

/** The texts of a field with those that are set, without those that are removed. @throws {CliError} exit 2 if none is left. */
export function mergedTexts(field: string, shown: unknown, set: unknown, { unset }: Changes): unknown {
  const removed = unset
    .filter((path) => path.startsWith(`${field}.`))
    .map((path) => path.slice(field.length + 1));
  if (set === undefined && removed.length === 0) return shown;
  const merged = { ...(isRecord(shown) ? shown : {}), ...(isRecord(set) ? set : {}) };
  const left = Object.entries(merged).filter(([language]) => !removed.includes(language));
  if (left.length > 0) return Object.fromEntries(left);
  throw invalidInput([{ field: '--unset', reason: `${field} needs a text in at least one language` }]);
}
