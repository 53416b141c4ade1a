import { FileProblem } from '../fs/read.ts';
import { adminFlag, givesAccess } from '../model/access.ts';
import { currencyWarning } from '../model/codes.ts';
import { type CliError, type Detail, invalidInput, MAX_DETAILS } from '../model/errors.ts';
import { isInventory, isPerson, kindTable } from '../model/kinds.ts';
import { expandRange } from '../model/ranges.ts';
import { groupBy, valueAt } from '../model/records.ts';
import { andList, counted, quote, sameName } from '../model/text.ts';
import { needsApaleo } from '../service/operations.ts';
import { type Entry, listed, type Place, type PlaceProblem, placeText } from './entry.ts';

/** What an entry is known by, and where it is. */
export type Named = Omit<Entry, 'fields'>;

/** What is wrong with the files of a run, gathered until all of them are read. */
export class Problems {
  /** The first entry with each name. */
  readonly #names = new Map<string, Named>();
  readonly #details: Detail[] = [];
  #count = 0;
  #hint: string | undefined;
  /** What needs another dialect: a hotel has hundreds of units, and one sentence is enough. */
  readonly #beyond: Parameters<typeof beyondDetails>[0][number][] = [];

  add(field: string, reason: string, hint?: string): void {
    this.#count += 1;
    this.#hint ??= hint;
    if (this.#details.length < MAX_DETAILS) this.#details.push({ field, reason });
  }

  addAt(place: Place, problem: PlaceProblem): void {
    const { field, reason, hint, beyond } = problem;
    if (beyond !== undefined) this.#beyond.push({ ...problem, file: place.file });
    else this.add(field === undefined ? placeText(place) : `${placeText(place)}: ${field}`, reason, hint);
  }

  /** Adds the details of a failure, or its sentence where it has none; `name` is the file that it is about. */
  addError(name: string, error: CliError): void {
    for (const { field, reason } of detailsOf(name, error)) this.add(field, reason, error.hint);
  }

  /** Reports a name that an earlier entry has, in any case of letters. */
  addName(named: Named): void {
    // A person is either invited or has access already, so that both kinds share the addresses.
    const kind = isPerson(named.kind) ? 'person' : named.kind;
    const key = `${kind}:${sameName(named.name)}`;
    const before = this.#names.get(key);
    if (before === undefined) this.#names.set(key, named);
    else this.add(fieldOf(named), reasonOf(before, named));
  }

  get areAny(): boolean {
    return this.#count + this.#beyond.length > 0;
  }

  /**
   * @param hint default: the first that was added.
   * @throws {CliError} `invalid_input`, exit 2, with all that was added.
   */
  throwIfAny(hint = this.#hint): void {
    const details = [...beyondDetails(this.#beyond), ...this.#details];
    const count = this.#count + Math.min(this.#beyond.length, 1);
    if (this.areAny) throw invalidInput(details, hint, count, 'problems in the files');
  }
}

/** One sentence about all entries and fields that need another dialect; none if there are none. */
export function beyondDetails(problems: readonly (PlaceProblem & Pick<Place, 'file'>)[]): readonly Detail[] {
  const found = problems.filter(({ beyond }) => beyond !== undefined);
  const parts = [...groupBy(found, ({ field }) => field === undefined)].map(([isEntry, those]) => {
    const names = new Set(those.map(({ beyond = '' }) => beyond));
    const count = isEntry ? counted(those.length, 'entry', 'entries') : counted(those.length, 'field');
    return `${count} (${listed([...names])})`;
  });
  if (parts.length === 0) return [];
  const files = new Set(found.map(({ file }) => file));
  return [{ field: listed([...files]), reason: `${needsApaleo} for ${andList(parts)}` }];
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
  return [...withdrawn(entries), ...lostZeros(entries), ...withoutAccess(entries), ...rangesAsNames(entries)];
}

/** Of tables: a list of rooms may have 701-705 in the column of single names. */
function rangesAsNames(entries: readonly Entry[]): readonly string[] {
  const [first, ...others] = entries.filter(
    ({ kind, place, fields: { name } }) =>
      kind === 'unit' && place.unit === 'row' && 'problem' in expandRange(String(name)),
  );
  if (first === undefined) return [];
  const what = `${placeText(first.place)}: ${quote(String(first.fields['name']))} is the name of one unit`;
  const more = others.length === 0 ? '' : `, and ${others.length.toLocaleString('en')} more like it`;
  return [`${what}${more}; write a range such as 701..705 in a column names (--map HEADER=names).`];
}

function withdrawn(entries: readonly Entry[]): readonly string[] {
  const properties = entries.filter(({ kind }) => kind === 'property');
  const byCurrency = groupBy(properties, ({ fields }) => String(fields['currency_code']));
  return [...byCurrency].flatMap(([currency, [first]]) => {
    const warning = currencyWarning(currency);
    return warning === undefined || first === undefined ? [] : [`${placeText(first.place)}: ${warning}`];
  });
}

/** Countries whose postal codes have five digits, some of them with a 0 in front. */
const fiveDigits: readonly unknown[] = ['DE', 'ES', 'FI', 'FR', 'IT', 'TR', 'UA', 'US'];

function lostZeros(entries: readonly Entry[]): readonly string[] {
  const codeOf = ({ fields }: Entry) => String(valueAt(fields, ['location', 'postal_code']));
  const isShort = (entry: Entry) =>
    fiveDigits.includes(valueAt(entry.fields, ['location', 'country_code'])) && /^\d{4}$/.test(codeOf(entry));
  const [first, ...others] = entries.filter(isShort);
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : `, and ${counted(others.length, 'other')},`;
  return [
    `${placeText(first.place)}: the postal code ${quote(codeOf(first))}${more} may have lost a zero in a spreadsheet.`,
  ];
}

function withoutAccess(entries: readonly Entry[]): readonly string[] {
  const blind = entries.filter(({ kind, fields }) => kind === 'invitation' && !givesAccess(fields));
  const [first] = blind;
  if (first === undefined) return [];
  const others = blind.length === 1 ? '' : `, and ${(blind.length - 1).toLocaleString('en')} more,`;
  return [
    `Without ${adminFlag}, or role and properties, the invitation of ${first.name} (${placeText(first.place)})${others} gives access to nothing.`,
  ];
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
