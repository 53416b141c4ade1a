import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isSpaceKey,
  isTabKey,
  isUpKey,
  type KeypressEvent,
  makeTheme,
  useKeypress,
  useMemo,
  usePrefix,
  useState,
} from '@inquirer/core';
import inquirer from 'inquirer';
import { type Check, type Choice, Interruption, type Prompter } from '../model/ports.ts';
import type { PromptStreams } from './plain-prompter.ts';
import { folded, neutraliseLine } from './text.ts';
import { type Measure, openMeasure, truncate } from './width.ts';

type Streams = PromptStreams<NodeJS.ReadStream, NodeJS.WriteStream>;

/** A prompter on inquirer. ^C, and ^D on an empty line, reject with an `Interruption`. */
export function createInquirerPrompter(streams: Streams): Prompter {
  const size = () => ({ columns: streams.output.columns || 80, rows: streams.output.rows || 24 });
  const pickFrom = async (
    text: string,
    choices: readonly Choice[],
    isSeveral: boolean,
    chosen: readonly string[],
  ) => {
    const entries = choices.map(entryOf);
    const measure = await openMeasure(entries.map(({ label }) => label));
    const message = neutraliseLine(text);
    const question = { message, entries, isSeveral, chosen, size, measure };
    return asking(streams, (context) => pick(question, context));
  };
  return {
    text: (message, { check, initial } = {}) =>
      ask<string>(streams, { type: 'input', message, check, default: initial }),
    secret: (message, { check } = {}) => ask<string>(streams, { type: 'password', message, check }),
    confirm: (message) => ask<boolean>(streams, { type: 'confirm', message, default: false }),
    choose: async (message, choices, { initial } = {}) => {
      const [value = ''] = await pickFrom(message, choices, false, initial === undefined ? [] : [initial]);
      return value;
    },
    chooseSeveral: (message, choices, { chosen = [] } = {}) => pickFrom(message, choices, true, chosen),
  };
}

interface Question {
  readonly type: 'input' | 'password' | 'confirm';
  readonly message: string;
  readonly check?: Check | undefined;
  readonly default?: string | false | undefined;
}

async function ask<Answer>(streams: Streams, { check, ...question }: Question): Promise<Answer> {
  return asking(streams, async (context) => {
    const prompt = inquirer.createPromptModule(context);
    const message = neutraliseLine(question.message);
    const validate = (typed: string) => {
      const problem = check?.(typed);
      return problem === undefined || neutraliseLine(problem);
    };
    const asked = { ...question, name: 'answer', message, toggleMask: false, validate };
    const { answer } = await prompt<{ answer: unknown }>(asked);
    // The type of a question fixes the type of its answer; each caller above names the one that belongs to its question.
    return answer as Answer;
  });
}

/** Shows one prompt, until it is answered or cancelled. */
async function asking<Answer>(
  { input, output, signal }: Streams,
  put: (context: Streams) => Promise<Answer>,
): Promise<Answer> {
  const closed = new AbortController();
  // At the end of the input readline pauses it, and inquirer would wait forever; the process would exit with 0.
  const onPause = () => closed.abort(new Interruption('SIGINT'));
  input.once('pause', onPause);
  const either = AbortSignal.any([signal, closed.signal]);
  try {
    return await put({ input, output, signal: either });
  } catch (error) {
    throw meaningOf(error, either);
  } finally {
    input.off('pause', onPause);
  }
}

function meaningOf(error: unknown, { reason }: AbortSignal): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'AbortPromptError') return reason;
  return error.name === 'ExitPromptError' ? new Interruption('SIGINT') : error;
}

/** A searchable list. */
interface PickQuestion {
  /** Neutralised. */
  readonly message: string;
  readonly entries: readonly Entry[];
  /** Tab toggles an entry and Enter returns all chosen ones; otherwise Enter returns the entry under the cursor. */
  readonly isSeveral: boolean;
  /** Values that are chosen at first; without `isSeveral`, the value under the cursor. */
  readonly chosen: readonly string[];
  /** Of the terminal, read at each drawing. */
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Measures the labels of the entries. */
  readonly measure: Measure;
}

/** Entries on a page, where the terminal is high enough. */
const PAGE_SIZE = 10;

/** Lines that are kept free of entries: the question, an empty line, the keys, the chosen, and some earlier output. */
const OTHER_LINES = 6;

/** Prompts for one or several entries of a list: typing searches, arrows move, and one page is drawn. */
const pick = createPrompt<readonly string[], PickQuestion>((question, done) => {
  const { message, entries } = question;
  const theme = makeTheme({});
  const [status, setStatus] = useState<'idle' | 'done'>('idle');
  const [picked, setPicked] = useState(() => startOf(question));
  const matches = useMemo(() => matching(entries, picked.term), [picked.term]);
  const prefix = usePrefix({ status, theme });
  const scene = {
    picked,
    matches,
    question,
    lines: Math.max(3, Math.min(PAGE_SIZE, question.size().rows - OTHER_LINES)),
  };
  const answer = answerOf(scene);
  useKeypress((key, readline) => {
    if (isEnterKey(key)) {
      if (answer === undefined) {
        // Enter clears the line; restore the search term where there is no answer.
        readline.write(picked.term);
        return setPicked({ ...picked, last: 'refused' });
      }
      setStatus('done');
      return done(answer.map(({ value }) => value));
    }
    const next = afterKey(key, readline.line, scene);
    if (next.term !== readline.line) {
      readline.clearLine(0);
      readline.write(next.term);
    }
    setPicked(next);
  });
  const asked = `${prefix} ${theme.style.message(message, status)}`;
  if (status === 'done') {
    const codes = (answer ?? []).map(({ short }) => short);
    return `${asked} ${theme.style.answer(codes.join(', ') || 'none')}`;
  }
  const page =
    matches.length === 0 ? theme.style.error('No entry matches.') : pageOf(scene, theme.style.highlight);
  const below = [keyHelp(scene), ...(question.isSeveral ? [chosenText(scene)] : [])];
  return [`${asked} ${picked.term}`, [page, '', ...below.map(theme.style.help)].join('\n')];
});

/** The state in which a key is pressed. */
interface Scene {
  readonly picked: Picked;
  readonly matches: readonly Entry[];
  readonly question: PickQuestion;
  readonly lines: number;
}

function startOf({ entries, isSeveral, chosen }: PickQuestion): Picked {
  const start = { term: '', last: 'picked' } as const;
  const wanted = new Set(chosen);
  const listed = entries.filter(({ value }) => wanted.has(value));
  if (isSeveral) return { ...start, active: 0, chosen: new Set(listed.map(({ value }) => value)) };
  const initial = entries.findIndex(({ value }) => wanted.has(value));
  return { ...start, active: Math.max(0, initial), chosen: new Set() };
}

/** With `isSeveral`, Enter right after typing is refused: it would look as if it chose the entry that was typed. */
function answerOf({ picked, matches, question }: Scene): readonly Entry[] | undefined {
  const { active, chosen, term, last } = picked;
  const { entries, isSeveral } = question;
  if (isSeveral && term !== '' && last === 'typed') return undefined;
  if (isSeveral) return entries.filter(({ value }) => chosen.has(value));
  const entry = matches[active];
  return entry === undefined ? undefined : [entry];
}

function afterKey(key: KeypressEvent, line: string, { picked, matches, question, lines }: Scene): Picked {
  if (isUpKey(key)) return moved(picked, -1, matches);
  if (isDownKey(key)) return moved(picked, 1, matches);
  if (key.name === 'pageup') return moved(picked, -lines, matches);
  if (key.name === 'pagedown') return moved(picked, lines, matches);
  if (isTabKey(key)) return question.isSeveral ? toggled(picked, matches) : picked;
  // While a term is typed, a space belongs to it.
  if (question.isSeveral && isSpaceKey(key) && picked.term === '') return toggled(picked, matches);
  if (line === picked.term) return picked;
  return { ...picked, term: line, active: line === '' ? startOf(question).active : 0, last: 'typed' };
}

function pageOf({ picked, matches, question, lines }: Scene, highlight: (text: string) => string): string {
  const { isSeveral, size, measure } = question;
  const start = windowAround(picked.active, matches.length, lines);
  return matches
    .slice(start, start + lines)
    .map(({ value, label }, index) => {
      const isActive = start + index === picked.active;
      const mark = isSeveral ? (picked.chosen.has(value) ? '◉ ' : '◯ ') : '';
      const cursor = `${isActive ? '❯' : ' '}${isSeveral ? '' : ' '}`;
      const before = cursor + mark;
      const line = before + truncate(label, size().columns - 1 - before.length, measure);
      return isActive ? highlight(line) : line;
    })
    .join('\n');
}

function keyHelp({ picked, matches, question: { entries, isSeveral } }: Scene): string {
  const hits =
    matches.length === entries.length ? `${entries.length}` : `${matches.length} of ${entries.length}`;
  const found = isSeveral && picked.last === 'refused' ? 'nothing chosen' : hits;
  const toggles = picked.term === '' ? 'tab or space toggles' : 'tab toggles';
  const keys = [found, 'type to search', ...(isSeveral ? [toggles] : []), 'enter confirms'];
  return keys.join(' · ');
}

function chosenText({ picked: { chosen }, question: { entries, size, measure } }: Scene): string {
  const names = entries.filter(({ value }) => chosen.has(value)).map(({ short }) => short);
  const text = `${chosen.size} chosen${names.length === 0 ? '' : ': '}${names.join(', ')}`;
  return truncate(text, size().columns - 1, measure);
}

/** A choice prepared for drawing and searching. */
type Entry = Readonly<ReturnType<typeof entryOf>>;

/** What is typed, chosen and under the cursor. */
export interface Picked {
  /** The search term. */
  readonly term: string;
  /** Index of the cursor among the matches. */
  readonly active: number;
  /** Values; independent of the search term. */
  readonly chosen: ReadonlySet<string>;
  /** What the last key did; `refused`: Enter right after typing. */
  readonly last: 'typed' | 'picked' | 'refused';
}

/**
 * Prepares a choice for drawing and searching.
 *
 * @returns also `short`, the label up to a colon or two spaces (a code, a title), and `folded`, the label as it is searched.
 */
export function entryOf({ value, label }: Choice) {
  const shown = neutraliseLine(label);
  const [short = ''] = shown.split(/: | {2}/, 1);
  return { value, label: shown, short, folded: folded(shown) };
}

/** The entries with every word of the term: first where the label begins with the first one, then where a word does. */
export function matching(entries: readonly Entry[], term: string): readonly Entry[] {
  const [first = '', ...others] = folded(term).trim().split(/\s+/);
  if (first === '') return entries;
  const ranks: readonly [Entry[], Entry[], Entry[]] = [[], [], []];
  for (const entry of entries) {
    const at = entry.folded.indexOf(first);
    if (at === -1 || !others.every((word) => entry.folded.includes(word))) continue;
    const rank = at === 0 ? 0 : entry.folded.includes(` ${first}`) ? 1 : 2;
    ranks[rank].push(entry);
  }
  return ranks.flat();
}

/** Moves the cursor by some entries, and not beyond either end. */
function moved(picked: Picked, by: number, matches: readonly Entry[]): Picked {
  const active = Math.max(0, Math.min(picked.active + by, matches.length - 1));
  return { ...picked, active, last: 'picked' };
}

/** Toggles the entry under the cursor. */
function toggled(picked: Picked, matches: readonly Entry[]): Picked {
  const entry = matches[picked.active];
  if (entry === undefined) return picked;
  const chosen = new Set(picked.chosen);
  if (!chosen.delete(entry.value)) chosen.add(entry.value);
  return { ...picked, chosen, last: 'picked' };
}

/** Index of the first entry of the page that has the cursor in its middle, as far as the ends of the list allow. */
export function windowAround(active: number, count: number, lines: number): number {
  return Math.max(0, Math.min(active - Math.floor(lines / 2), count - lines));
}
