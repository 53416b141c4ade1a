import { CliError, ExitCode, usageError } from '../model/errors.ts';
import type { Check, Choice, Prompter } from '../model/ports.ts';
import { isRecord, type Page, type ServiceRecord } from '../model/records.ts';
import { idProblem } from '../model/text.ts';
import { absoluteWording, cardFields, translationIn } from '../print/cells.ts';
import type { Shape } from '../print/output.ts';
import { clip, neutraliseLine, withFlags } from '../print/text.ts';
import type { Operation } from '../service/operations.ts';
import type { Session } from '../session/session.ts';

/**
 * The choices from a list; `undefined` if the caller may not read it.
 *
 * @param field the field of its records that is the answer.
 * @param problem the problem with a value; such records are not offered, because no flag could express them.
 * @param about the name of a record and further facts, as of `choice`.
 */
export async function choicesFrom(
  pages: AsyncIterable<Page>,
  field: string,
  problem: Check,
  about: (record: ServiceRecord) => readonly unknown[] = () => [],
): Promise<readonly Choice[] | undefined> {
  const choices: Choice[] = [];
  try {
    for await (const { items } of pages) {
      for (const item of items) {
        const value = item[field];
        if (typeof value !== 'string' || problem(value) !== undefined) continue;
        choices.push(choice(value, ...about(item)));
      }
    }
  } catch (error) {
    if (error instanceof CliError && error.exitCode === ExitCode.forbidden) return undefined;
    throw error;
  }
  return choices;
}

/**
 * A value with its name and facts, such as `BER  Grand Hotel · Berlin · Live`. All of it is searched.
 *
 * @param about the name, then the facts; what is not text is left out.
 */
export function choice(value: string, ...about: readonly unknown[]): Choice {
  const texts = about.filter((each) => typeof each === 'string' && each !== '' && each !== value);
  return { value, label: neutraliseLine(`${value}${texts.length === 0 ? '' : `  ${texts.join(' · ')}`}`) };
}

/** What to show and search of a property: its name, city and status. */
export function aboutProperty({ name, location, status }: ServiceRecord): readonly unknown[] {
  // A name is a text in lists and a language map elsewhere.
  const first = isRecord(name) ? translationIn(name) : name;
  return [first, isRecord(location) ? location['city'] : undefined, status];
}

/** Prompts for a text and trims it. @param initial the default answer. */
export async function askText(question: string, problem: Check, prompter: Prompter, initial?: string) {
  const answer = await prompter.text(question, { check: (text) => problem(text.trim()), initial });
  return answer.trim();
}

/** A change entered in prompts, and the equivalent flags. */
export interface Answered extends ReviewLine {
  readonly words: readonly string[];
}

/** A new value for a field. */
export function answered(label: string, before = NOT_SHOWN, after: string, words: readonly string[]) {
  return { label, text: `${before} -> ${after}`, words };
}

/** A field to offer for a change, with its current value. */
export function fieldChoice(value: string, label: string, shown = NOT_SHOWN): Choice {
  return { value, label: neutraliseLine(`${label}: ${shown}`) };
}

const NOT_SHOWN = '(not shown)';

/** A command whose options answers can set. */
export interface Answerable<Options> {
  parseOptions(words: string[]): unknown;
  opts(): Options;
  name(): string;
}

/** The options and the session of a command, as if the answers had been typed too. */
export function withAnswers<Options>(
  answers: readonly Answered[],
  command: Answerable<Options>,
  session: Session,
) {
  const words = answers.flatMap((each) => each.words);
  command.parseOptions(words);
  return { options: command.opts(), typed: sessionWith(words, session) };
}

/** The session, as if the words had been typed too. */
export function sessionWith(words: readonly string[], session: Session): Session {
  const { context } = session;
  return { ...session, context: { ...context, argv: withFlags(context.argv, words) } };
}

/**
 * Prompts for property ids from the list.
 *
 * @param before those that are chosen at first; offered even if the service does not list them.
 */
export async function askPropertyIds(
  before: readonly string[],
  { api, context: { prompter } }: Session,
): Promise<readonly string[]> {
  const commaProblem = (id: string) => (id.includes(',') ? 'must not contain a comma' : idProblem(id));
  const listed = await choicesFrom(api.properties.list({}, {}), 'id', commaProblem, aboutProperty);
  if (listed === undefined)
    throw usageError('The properties cannot be listed to choose from: give their ids with --properties.');
  const unlisted = before.filter((id) => listed.every(({ value }) => value !== id));
  const offered = [...listed, ...unlisted.map((id) => choice(id))];
  return offered.length === 0 ? [] : prompter.chooseSeveral('Properties', offered, { chosen: before });
}

/** One line of the review before something is sent. */
export interface ReviewLine {
  readonly label: string;
  readonly text: string;
}

/** Maximum length of a reviewed value, code units. */
const LONGEST_TEXT = 1_000;

/** Shows what will be sent and where, before asking for consent; not in a dry run, which shows the request itself. */
export async function review(
  lines: readonly ReviewLine[],
  area: Operation['area'],
  { out, globals, context, destination }: Session,
): Promise<void> {
  if (globals.dryRun === true) return;
  const [{ drawCard }, { openMeasure }] = await Promise.all([
    import('../print/table.ts'),
    import('../print/width.ts'),
  ]);
  // Mask before cutting: the rest of a cut secret would not be recognized.
  const shown = (text: string) => clip(neutraliseLine(context.redactor.text(text)), LONGEST_TEXT);
  const fields = lines.map(({ label, text }) => ({ label: shown(label), text: shown(text) }));
  const measure = await openMeasure(fields.map(({ label }) => label));
  const card = drawCard(fields, { title: (text) => text, measure });
  const head = `This will be sent to ${destination(area)}:`;
  for (const line of [head, ...card.trimEnd().split('\n')]) await out.note(line);
}

/** The review of a new record: every field. */
export function reviewOf(record: ServiceRecord, { columns }: Shape): readonly ReviewLine[] {
  return cardFields(record, columns, absoluteWording);
}
