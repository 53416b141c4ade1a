import { setTimeout as pause } from 'node:timers/promises';
import { CliError, ExitCode, OutcomeUnknown } from '../model/errors.ts';
import { Interruption } from '../model/ports.ts';
import type { Page, ServiceRecord } from '../model/records.ts';
import { didYouMean, nearest, quote, suggestion } from '../model/text.ts';
import type { Query } from '../service/dialect.ts';
import { type Extent, readWhole } from '../service/paging.ts';
import { createPropertyNames, type PropertyNames } from '../service/property-names.ts';
import type { Api } from '../service/service.ts';
import type { Session } from '../session/session.ts';
import { serviceLine } from './lines.ts';

/** Maximum number of records searched for a suggestion. */
const MAX_SEARCHED = 1_000;

/** Time limit of the search, milliseconds. */
const SEARCH_MS = 3_000;

/** Words that may be misspelt, and the list that has the right ones. */
export interface Misspelt {
  readonly words: readonly string[];
  readonly resource: Lists;
  /** The fields of its records that may be meant. */
  readonly fields: readonly string[];
  /** Picks the similar name; default `nearest`. */
  readonly pick?: typeof nearest;
  /** The name of a record means its id. */
  readonly byName?: true;
  /** The words are in the path of the request, so that only "not found" means that one is misspelt. */
  readonly inPath?: true;
}

/** Statuses that a misspelt word may cause. */
const perhapsMisspelt = new Set([400, 404, 410, 422]);

/** For `catch`: adds similar names from the service's lists to an error. Never sends a guess. */
export function suggest(...misspelt: readonly Misspelt[]) {
  return async (error: unknown): Promise<never> => {
    if (!mayBeMisspelt(error)) throw error;
    const isMissing = error.exitCode === ExitCode.notFound;
    const meant = misspelt.filter(({ inPath }) => isMissing || inPath !== true);
    const isOne = meant.flatMap(({ words }) => words).length === 1;
    const guesses: string[] = [];
    for (const each of meant) {
      const similar = await similarNames(each);
      guesses.push(...similar.map(({ word, name }) => (isOne ? name : `${name} for ${word}`)));
    }
    const hint = didYouMean(guesses.join(', ') || undefined);
    throw hint === undefined ? error : error.withHint(hint);
  };
}

/** A similar name for each word that is not in the list. */
async function similarNames({ words, resource, fields, byName, pick = nearest }: Misspelt) {
  if (words.length === 0) return [];
  const records = await firstRecords(resource);
  const names = textsIn(records, fields);
  const called = createPropertyNames(byName === true ? records : []);
  return words.flatMap((word) => {
    const name = names.includes(word) ? undefined : (called.idsOf(word)[0] ?? pick(word, names));
    return name === undefined ? [] : [{ word, name }];
  });
}

/** Property ids that may be misspelt; a name or code is mapped to its id. */
export function misspeltProperties(words: readonly string[], { properties }: Api): Misspelt {
  return { words, resource: properties, fields: ['id'], byName: true };
}

/** The names of the properties, as far as read within the limits. */
export async function propertyNames({ properties }: Api): Promise<PropertyNames> {
  return createPropertyNames(await firstRecords(properties));
}

/** What lists records. */
interface Lists {
  list(filter: Query, extent: Extent): AsyncIterable<Page>;
}

/** The texts of a field of a list, as far as read within the limits. */
export async function firstTexts(resource: Lists, field: string): Promise<readonly string[]> {
  return textsIn(await firstRecords(resource), [field]);
}

/** The records of a list, as far as read within the limits. */
async function firstRecords(resource: Lists): Promise<readonly ServiceRecord[]> {
  const records: ServiceRecord[] = [];
  const read = async () => {
    for await (const { items } of resource.list({}, { limit: MAX_SEARCHED })) records.push(...items);
  };
  try {
    await Promise.race([read(), pause(SEARCH_MS, undefined, { ref: false })]);
  } catch (cause) {
    // Without a list there is no suggestion, and ^C only ends the search.
    if (!(cause instanceof CliError || cause instanceof Interruption)) throw cause;
  }
  return [...records];
}

function textsIn(records: readonly ServiceRecord[], fields: readonly string[]): readonly string[] {
  const values = fields.flatMap((field) => records.map((record) => record[field]));
  return values.filter((value) => typeof value === 'string');
}

function mayBeMisspelt(error: unknown): error is CliError {
  if (!(error instanceof CliError) || error instanceof OutcomeUnknown) return false;
  // An HTML page does not come from the service.
  if (error.code === 'html_answer') return false;
  return perhapsMisspelt.has(error.status ?? 0);
}

/** The names in a filter, and the list to check them with. */
export interface Named {
  /** `['property', 'properties']`, for sentences. */
  readonly noun: readonly [singular: string, plural: string];
  /** None are checked if it is empty. */
  readonly words: readonly string[];
  /** Requested only if the filtered list is empty. */
  readonly list: () => AsyncIterable<Page>;
  /** The fields that may contain the names. */
  readonly fields: readonly string[];
}

type Asking = Pick<Session, 'globals' | 'out'>;

/**
 * The pages of a filtered list. Without records, checks the names in the filter: a misspelt name must not look like an
 * empty list.
 *
 * @throws {CliError} exit 3 with unlisted words and suggestions. If the list cannot be read, warns.
 */
export async function* refusingUnlisted(pages: AsyncIterable<Page>, named: Named, session: Asking) {
  const empty: Page[] = [];
  let isEmpty = true;
  for await (const page of pages) {
    isEmpty &&= page.items.length === 0 && (page.total ?? 0) === 0;
    if (isEmpty) empty.push(page);
    else yield* [...empty.splice(0), page];
  }
  if (isEmpty) await refuseUnlisted(named, session);
  yield* empty;
}

/** Like `refusingUnlisted` for properties, archived ones too. @param words of a filter; `undefined` without one. */
export function ofListedProperties(
  pages: AsyncIterable<Page>,
  words: string | readonly string[] | undefined,
  session: Session,
): AsyncGenerator<Page> {
  const { api } = session;
  const named = {
    noun: ['property', 'properties'],
    words: [words ?? []].flat(),
    list: () => api.properties.listAll(api.dialect.withArchived),
    fields: api.dialect.filteredBy,
  } as const;
  return refusingUnlisted(pages, named, session);
}

async function refuseUnlisted({ noun, words, list, fields }: Named, { globals, out }: Asking): Promise<void> {
  if (words.length === 0) return;
  const hint = serviceLine(globals, noun[1], 'list');
  const records: ServiceRecord[] = [];
  const failure = await readWhole(list(), noun[1], (record) => records.push(record)).catch(reasonOf);
  const names = new Set(textsIn(records, fields));
  const unknown = words.filter((word) => !names.has(word));
  if (unknown.length === 0) return;
  const called = createPropertyNames(records);
  const meant = unknown.flatMap((word) => called.idsOf(word)[0] ?? nearest(word, [...names]) ?? []);
  const unlisted = `${unknown.map(quote).join(' or ')}${suggestion(meant.join(', ') || undefined)}`;
  const sentence = `The service lists no ${noun[0]} ${unlisted}`.replace(/[^?]$/, '$&.');
  if (failure === undefined) throw new CliError('not_found', sentence, { exitCode: ExitCode.notFound, hint });
  await out.warn(`${sentence} It may exist: ${failure}.`);
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof CliError)) throw cause;
  return cause.message.replace(/\.$/, '');
}
