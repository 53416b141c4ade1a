import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { collectList } from '../cli/flags.ts';
import type { Choice, Prompter } from '../cli/ports.ts';
import type { Session } from '../cli/session.ts';
import type { Page, ServiceRecord } from '../model/records.ts';
import { absoluteWording } from '../out/cells.ts';
import { fieldsOf } from '../out/fields.ts';
import type { Shape } from '../out/output.ts';
import { clip, neutraliseLine } from '../out/text.ts';
import type { Operation } from '../service/operations.ts';
import { idProblem } from '../service/path.ts';
import { listedIdProblem } from '../service/property-names.ts';
import { type ServiceChoice, serviceLine } from './lines.ts';
import { entryProblems } from './options.ts';

/** How a record of a list becomes a choice. */
export interface RecordChoice {
  /** The field of its records that is the answer. */
  readonly field: string;
  /** The problem with a value; such entries are not offered, because no flag could express them. */
  readonly problem: (text: string) => string | undefined;
  readonly labelOf?: (record: ServiceRecord) => string | undefined;
}

export const propertyChoice: RecordChoice = {
  field: 'id',
  problem: (id) => (id.includes(',') ? 'must not contain a comma' : idProblem(id)),
  labelOf: nameOf,
};

/** The choices from a list; `undefined` if the caller may not read it. */
export async function choicesFrom(
  pages: AsyncIterable<Page>,
  { field, problem, labelOf = () => undefined }: RecordChoice,
): Promise<readonly Choice[] | undefined> {
  const choices: Choice[] = [];
  try {
    for await (const { items } of pages) {
      for (const item of items) {
        const value = item[field];
        if (typeof value !== 'string' || problem(value) !== undefined) continue;
        choices.push(choice(value, labelOf(item)));
      }
    }
  } catch (error) {
    if (error instanceof CliError && error.exitCode === ExitCode.forbidden) return undefined;
    throw error;
  }
  return choices;
}

/** A value with its name, such as `BER  Grand Hotel`. */
export function choice(value: string, name: string | undefined): Choice {
  return { value, label: neutraliseLine(name === undefined ? value : `${value}  ${name}`) };
}

/** Prompts for a text and trims it. */
export async function askText(
  question: string,
  problem: (text: string) => string | undefined,
  prompter: Prompter,
): Promise<string> {
  const answer = await prompter.text(question, { check: (text) => problem(text.trim()) ?? true });
  return answer.trim();
}

/** The problem with a comma-separated list of property ids, or `undefined`. */
export function idsProblem(text: string): string | undefined {
  return entryProblems('properties', collectList(text, undefined), listedIdProblem)[0]?.reason;
}

/** A property's name is a text in lists and a language map elsewhere. */
function nameOf({ name }: ServiceRecord): string | undefined {
  const first = typeof name === 'object' && name !== null ? Object.values(name)[0] : name;
  return typeof first === 'string' ? first : undefined;
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
  { out, globals, context, destination }: Pick<Session, 'out' | 'globals' | 'context' | 'destination'>,
): Promise<void> {
  if (globals.dryRun === true) return;
  const { drawCard } = await import('../out/cards.ts');
  // Mask before cutting: the rest of a cut secret would not be recognized.
  const shown = (text: string) => clip(neutraliseLine(context.redactor.text(text)), LONGEST_TEXT);
  const card = drawCard(
    lines.map(({ label }) => shown(label)),
    lines.map(({ text }) => shown(text)),
    { title: (text) => text },
  );
  const head = `This will be sent to ${destination(area)}:`;
  for (const line of [head, ...card.trimEnd().split('\n')]) await out.note(line);
}

/** The review of a new record: every field. */
export function reviewOf(record: ServiceRecord, { columns }: Shape): readonly ReviewLine[] {
  return fieldsOf(record, columns, absoluteWording);
}

/** The review of a change. */
export function changeOf(label: string, before: string | undefined, after: string): ReviewLine {
  return { label, text: `${before ?? '(not shown)'} -> ${after}` };
}

/**
 * Adds to the error about a file with several records the command that imports them.
 *
 * @returns a handler for `catch` that rethrows every error.
 */
export function importing(
  resource: 'invitations' | 'properties',
  file: string | undefined,
  globals: ServiceChoice,
) {
  return (error: unknown): never => {
    const isSeveral = error instanceof CliError && error.code === 'several_records';
    if (!isSeveral || file === undefined) throw error;
    throw error.withHint(serviceLine(globals, resource, 'import', file));
  };
}
