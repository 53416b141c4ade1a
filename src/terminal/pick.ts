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
import { truncate } from '../render/width.ts';
import { type Entry, matching, moved, type Picked, toggled, windowAround } from './picking.ts';

/** A list to pick from, by searching and moving. */
export interface PickQuestion {
  /** Neutralised. */
  readonly message: string;
  readonly entries: readonly Entry[];
  /** Space chooses, and Enter takes all that were chosen; otherwise Enter takes the entry under the cursor. */
  readonly isSeveral: boolean;
  /** Chosen from the beginning; where one is wanted, where the cursor stands. */
  readonly chosen: readonly string[];
  /** Of the terminal, asked at each drawing. */
  readonly size: () => { readonly columns: number; readonly rows: number };
}

/** Entries of an answer that are repeated once it was given. */
const MOST_REPEATED = 20;

/** Entries that are shown at once where the terminal is high enough. */
const PAGE_SIZE = 10;

/** Lines of the terminal that are no entries: the question, a blank, the keys, and some of what was before. */
const OTHER_LINES = 5;

/** Asks for one or several entries of a list: what is typed is searched for, arrows move, and only a page is drawn. */
export const pick = createPrompt<readonly string[], PickQuestion>((question, done) => {
  const { message, entries } = question;
  const theme = makeTheme({});
  const [status, setStatus] = useState<'idle' | 'done'>('idle');
  const [picked, setPicked] = useState(() => startOf(question));
  const matches = useMemo(() => matching(entries, picked.term), [picked.term]);
  const prefix = usePrefix({ status, theme });
  const lines = pageSize(question);
  useKeypress((key, readline) => {
    if (isEnterKey(key)) {
      const answer = answerOf(picked, matches, question);
      // Enter empties the line; what was typed must stay where it is no answer.
      if (answer === undefined) return readline.write(picked.term);
      setStatus('done');
      return done(answer.map(({ value }) => value));
    }
    const next = afterKey(key, readline.line, { picked, matches, question, lines });
    if (next.term !== readline.line) {
      readline.clearLine(0);
      readline.write(next.term);
    }
    setPicked(next);
  });
  const asked = `${prefix} ${theme.style.message(message, status)}`;
  if (status === 'done') {
    return `${asked} ${theme.style.answer(repeated(answerOf(picked, matches, question) ?? []))}`;
  }
  const page =
    matches.length === 0
      ? theme.style.error('Nothing in the list has this in it.')
      : pageOf({ picked, matches, question, lines }, theme.style.highlight);
  return [`${asked} ${picked.term}`, `${page}\n\n${theme.style.help(keysFor(picked, matches, question))}`];
});

/** What a key meets. */
interface Scene {
  readonly picked: Picked;
  readonly matches: readonly Entry[];
  readonly question: PickQuestion;
  readonly lines: number;
}

function startOf({ entries, isSeveral, chosen }: PickQuestion): Picked {
  const wanted = new Set(chosen);
  const listed = entries.filter(({ value }) => wanted.has(value));
  if (isSeveral) return { term: '', active: 0, chosen: new Set(listed.map(({ value }) => value)) };
  const initial = entries.findIndex(({ value }) => wanted.has(value));
  return { term: '', active: Math.max(0, initial), chosen: new Set() };
}

function answerOf(
  { active, chosen }: Picked,
  matches: readonly Entry[],
  { entries, isSeveral }: PickQuestion,
): readonly Entry[] | undefined {
  if (isSeveral) return entries.filter(({ value }) => chosen.has(value));
  const entry = matches[active];
  return entry === undefined ? undefined : [entry];
}

function afterKey(key: KeypressEvent, line: string, { picked, matches, question, lines }: Scene): Picked {
  if (isUpKey(key)) return moved(picked, -1, matches);
  if (isDownKey(key)) return moved(picked, 1, matches);
  if (key.name === 'pageup') return moved(picked, -lines, matches);
  if (key.name === 'pagedown') return moved(picked, lines, matches);
  if (isTabKey(key)) return picked;
  if (question.isSeveral && isSpaceKey(key)) return toggled(picked, matches);
  if (line === picked.term) return picked;
  return { ...picked, term: line, active: line === '' ? startOf(question).active : 0 };
}

function pageSize({ size }: PickQuestion): number {
  return Math.max(3, Math.min(PAGE_SIZE, size().rows - OTHER_LINES));
}

function pageOf({ picked, matches, question, lines }: Scene, highlight: (text: string) => string): string {
  const { isSeveral, size } = question;
  const start = windowAround(picked.active, matches.length, lines);
  return matches
    .slice(start, start + lines)
    .map(({ value, label }, index) => {
      const isActive = start + index === picked.active;
      const mark = isSeveral ? (picked.chosen.has(value) ? '◉ ' : '◯ ') : '';
      const cursor = `${isActive ? '❯' : ' '}${isSeveral ? '' : ' '}`;
      const line = truncate(`${cursor}${mark}${label}`, size().columns - 1);
      return isActive ? highlight(line) : line;
    })
    .join('\n');
}

function keysFor(
  { chosen }: Picked,
  matches: readonly Entry[],
  { entries, isSeveral, size }: PickQuestion,
): string {
  const hits =
    matches.length === entries.length ? `${entries.length}` : `${matches.length} of ${entries.length}`;
  const keys = [
    ...(isSeveral ? [`${chosen.size} chosen`] : []),
    hits,
    'type to search',
    ...(isSeveral ? ['space chooses'] : []),
    'enter ends',
  ].join(' · ');
  return truncate(keys, size().columns - 1);
}

function repeated(answer: readonly Entry[]): string {
  const labels = answer.slice(0, MOST_REPEATED).map(({ label }) => label);
  const others = answer.length - labels.length;
  return [...(labels.length === 0 ? ['none'] : labels), ...(others > 0 ? [`${others} more`] : [])].join(', ');
}
