import { FileProblem } from '../fs/read.ts';
import { adminFlag, givesAccess } from '../model/access.ts';
import { currencyWarning } from '../model/codes.ts';
import { type CliError, type Detail, invalidInput, MAX_DETAILS } from '../model/errors.ts';
import { isInventory, kindTable } from '../model/kinds.ts';
import { groupBy } from '../model/records.ts';
import { quote, sameName } from '../model/text.ts';
import { type Entry, type Place, type PlaceProblem, placeText } from './entry.ts';

/** What an entry is known by, and where it is. */
export type Named = Omit<Entry, 'fields'>;

/** What is wrong with the files of a run, gathered until all of them are read. */
export class Problems {
  /** The first entry with each name. */
  readonly #names = new Map<string, Named>();
  readonly #details: Detail[] = [];
  #count = 0;
  #hint: string | undefined;

  add(field: string, reason: string, hint?: string): void {
    this.#count += 1;
    this.#hint ??= hint;
    if (this.#details.length < MAX_DETAILS) this.#details.push({ field, reason });
  }

  addAt(place: Place, { field, reason, hint }: PlaceProblem): void {
    this.add(field === undefined ? placeText(place) : `${placeText(place)}: ${field}`, reason, hint);
  }

  /** Adds the details of a failure, or its sentence where it has none; `name` is the file that it is about. */
  addError(name: string, error: CliError): void {
    for (const { field, reason } of detailsOf(name, error)) this.add(field, reason, error.hint);
  }

  /** Reports a name that an earlier entry has, in any case of letters. */
  addName(named: Named): void {
    const key = keyOf(named);
    const before = this.#names.get(key);
    if (before === undefined) this.#names.set(key, named);
    else this.add(fieldOf(named), reasonOf(before, named));
  }

  /**
   * @param hint default: the first that was added.
   * @throws {CliError} `invalid_input`, exit 2, with all that was added.
   */
  throwIfAny(hint = this.#hint): void {
    if (this.#count > 0) throw invalidInput(this.#details, hint, this.#count, 'problems in the files');
  }
}

function detailsOf(name: string, error: CliError): readonly Detail[] {
  if (error instanceof FileProblem) {
    const { file, line, reason } = error;
    return [{ field: line === undefined ? file : `${file}: line ${line}`, reason }];
  }
  return error.details.length > 0 ? error.details : [{ field: name, reason: error.message }];
}

/** Warnings about valid entries: one sentence each, with the first place. */
export function warnOf(entries: readonly Entry[]): readonly string[] {
  return [...withdrawn(entries), ...withoutAccess(entries)];
}

function withdrawn(entries: readonly Entry[]): readonly string[] {
  const properties = entries.filter(({ kind }) => kind === 'property');
  const byCurrency = groupBy(properties, ({ fields }) => String(fields['currency_code']));
  return [...byCurrency].flatMap(([currency, [first]]) => {
    const warning = currencyWarning(currency);
    return warning === undefined || first === undefined ? [] : [`${placeText(first.place)}: ${warning}`];
  });
}

function withoutAccess(entries: readonly Entry[]): readonly string[] {
  const blind = entries.filter(({ kind, fields }) => kind === 'invitation' && !givesAccess(fields));
  const [first] = blind;
  if (first === undefined) return [];
  const others = blind.length === 1 ? '' : `, and ${(blind.length - 1).toLocaleString('en')} more,`;
  return [
    `Without ${adminFlag}, or role and properties, ${first.name} (${placeText(first.place)})${others} will see nothing.`,
  ];
}

/** A person is either invited or has access already, so that both kinds share the addresses. */
function keyOf({ kind, name }: Named): string {
  return `${kind === 'user' || kind === 'invitation' ? 'person' : kind}:${sameName(name)}`;
}

function fieldOf({ kind, name }: Named): string {
  if (kind === 'property' || kind === 'unit_group') return 'code';
  if (isInventory(kind)) return 'name';
  return kind === 'user' && !name.includes('@') ? 'subject_id' : 'email';
}

function reasonOf(before: Named, named: Named): string {
  const as = before.name === named.name ? '' : `, as ${quote(named.name)},`;
  const places = `is given at ${placeText(before.place)} and${as} at ${placeText(named.place)}`;
  if (before.kind === named.kind) return `${quote(before.name)} ${places}`;
  const [one, other] = [kindTable[before.kind].one, kindTable[named.kind].one];
  return `${quote(before.name)} ${places}, as ${one} and as ${other}: a person is either invited or has access`;
}
