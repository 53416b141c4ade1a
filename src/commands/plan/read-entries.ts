import type { Session } from '../../cli/session.ts';
import { quote } from '../../model/text.ts';
import { neutraliseLine, sameCommand } from '../../print/text.ts';
import type { Entry, Kind } from '../../seed/entry.ts';
import { choicesFor, Headers, type MappedHeader, type UnknownColumn } from '../../seed/headers.ts';
import { FilesRefused } from '../../seed/problems.ts';
import { readManifest, skippedText } from '../../seed/read.ts';
import { choice, sessionWith } from '../ask.ts';
import { propertyNames } from '../suggest.ts';
import type { ParsedPlanFlags } from './flags.ts';

/** What files hold. */
export interface ReadFiles {
  readonly entries: readonly Entry[];
  /** How the headers of tables were read that are no names of columns. */
  readonly columns: readonly MappedHeader[];
  /** The words of `--map`, answers of prompts among them. */
  readonly map: readonly string[];
  /** The session, as if the answers had been typed. */
  readonly session: Session;
}

/**
 * Reads and checks the entries of some files. At a terminal it prompts for the columns that unknown headers mean.
 *
 * @param only the only kind that the command accepts.
 * @throws {CliError} exit 2 with all that is wrong.
 */
export async function readEntries(
  session: Session,
  files: readonly string[],
  { prune, hidden, map = [] }: Pick<ParsedPlanFlags, 'prune' | 'hidden' | 'map'>,
  only?: Kind,
): Promise<ReadFiles> {
  const { context, api, out, mayAsk } = session;
  const headers = new Headers(map, only);
  try {
    const { stdin, signal } = context;
    const { dialect } = api;
    const { warn } = out;
    const { entries, skipped } = await readManifest(files, {
      ...{ stdin, signal, only, prune, hidden, headers, dialect, warn },
      propertyNames: () => propertyNames(api),
    });
    const isHeard = context.stderr.isTerminal && !context.presentation.json;
    if (skipped.length > 0 && (isHeard || session.globals.debug === true))
      await out.note(`Skipped: ${skippedText(skipped)}.`);
    if (headers.mapped.length > 0) await out.note(columnsLine(headers.mapped));
    return { entries, columns: headers.mapped, map, session };
  } catch (error) {
    if (!(error instanceof FilesRefused) || error.columns.length === 0) throw error;
    if (!error.isSolvable || !mayAsk()) throw error.withHint(mapLine(error.columns, headers, session));
    const answers = await askColumns(error.columns, session);
    const typed = sessionWith(
      answers.flatMap((answer) => ['--map', answer]),
      session,
    );
    return readEntries(typed, files, { prune, hidden, map: [...map, ...answers] }, only);
  }
}

/** `columns: Ort → location.city, Bemerkung → (left out)` */
function columnsLine(mapped: readonly MappedHeader[]): string {
  const texts = mapped.map(({ header, field }) => `${quote(header).slice(1, -1)} → ${field ?? '(left out)'}`);
  return neutraliseLine(`columns: ${[...new Set(texts)].join(', ')}`);
}

/** The same command with `--map` for each unknown header: to the nearest column, otherwise to none if nothing is missing. */
function mapLine(columns: readonly UnknownColumn[], headers: Headers, { context, api }: Session): string {
  const words = distinct(columns).map((column) => {
    const { near = column.isNeeded ? 'COLUMN' : '' } = choicesFor(column, api.dialect);
    return `${column.header}=${near}`;
  });
  return sameCommand(headers.usedIn(context.argv), ...words.flatMap((word) => ['--map', word]));
}

/** The words of `--map` that the answers stand for. */
async function askColumns(columns: readonly UnknownColumn[], { context: { prompter }, api }: Session) {
  const answers: string[] = [];
  for (const column of distinct(columns)) {
    const { columns: names, near = '' } = choicesFor(column, api.dialect);
    const leave = { value: '', label: 'leave this column out' };
    const choices = [leave, ...names.map((name) => choice(name, undefined))];
    const question = neutraliseLine(`What is the column ${quote(column.header)} of ${column.file}?`);
    answers.push(`${column.header}=${await prompter.choose(question, choices, { initial: near })}`);
  }
  return answers;
}

/** The first of each header: files of one folder share their columns. */
function distinct(columns: readonly UnknownColumn[]): readonly UnknownColumn[] {
  return columns.filter(({ header }, index) => columns.findIndex((each) => each.header === header) === index);
}
