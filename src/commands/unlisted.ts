import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { nearest, suggestion } from '../model/names.ts';
import type { Page, ServiceRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import type { Output } from '../out/output.ts';
import { readWhole } from '../service/paging.ts';
import { createPropertyNames } from '../service/property-names.ts';

/** What the words of a filter name, and where the service lists it. */
export interface Named {
  /** `['property', 'properties']`, for sentences. */
  readonly noun: readonly [singular: string, plural: string];
  readonly words: readonly string[];
  readonly pages: () => AsyncIterable<Page>;
  /** The fields that name a record. Where no record has one of them, a word may be known all the same. */
  readonly fields: readonly string[];
  /** Something to type that shows them all. */
  readonly hint: string;
}

/**
 * Looks for what a filter names when nothing was found with it: a misspelt name must not pass for an empty list.
 *
 * @throws {CliError} exit 3 naming the words that the service does not list, each with what was probably meant. Where the
 *   service does not show enough to tell, that is a warning.
 */
export async function refuseUnlisted(named: Named, out: Output): Promise<void> {
  const { noun, words, fields, hint } = named;
  const records: ServiceRecord[] = [];
  const gap = await readWhole(named.pages(), noun[1], (record) => records.push(record)).catch(failure);
  const textsIn = (field: string) => records.map((record) => record[field]).filter(isText);
  const names = [...new Set(fields.flatMap(textsIn))];
  const unknown = words.filter((word) => !names.includes(word));
  if (unknown.length === 0) return;
  const called = createPropertyNames();
  records.forEach(called.see);
  const meant = unknown.map((word) => called.idsOf(word)[0] ?? nearest(word, names)).filter(isText);
  const told = `${unknown.map(quote).join(' or ')}${suggestion(meant.join(', ') || undefined)}`;
  const sentence = `The service lists no ${noun[0]} ${told}`.replace(/[^?]$/, '$&.');
  const isCertain =
    gap === undefined && (records.length === 0 || fields.every((field) => textsIn(field).length > 0));
  if (isCertain) throw new CliError('not_found', sentence, { exitCode: ExitCode.notFound, hint });
  await out.warn(gap === undefined ? sentence : `${sentence} Perhaps it is there: ${gap}.`);
}

/**
 * The pages of a filtered list; one without records is given on after a look at what the filter names.
 *
 * @param look throws where the filter names nothing.
 */
export async function* lookingInto(
  pages: AsyncIterable<Page>,
  look: () => Promise<void>,
): AsyncGenerator<Page> {
  const empty: Page[] = [];
  let isEmpty = true;
  for await (const page of pages) {
    isEmpty &&= page.items.length === 0 && (page.total ?? 0) === 0;
    if (isEmpty) empty.push(page);
    else yield* [...empty.splice(0), page];
  }
  if (isEmpty) await look();
  yield* empty;
}

function failure(cause: unknown): string {
  if (!(cause instanceof CliError)) throw cause;
  return cause.message.replace(/\.$/, '');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
