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
import { blankChooses, type Entry, matching, moved, type Picked, toggled, windowAround } from './picking.ts';

/** A list to pick from, by searching and moving. */
export interface PickQuestion {
  /** Neutralised. */
  readonly message: string;
  readonly entries: readonly Entry[];
  /** Tab chooses, and Enter takes all that were chosen; otherwise Enter takes the entry under the cursor. */
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

/** Lines of the terminal that are no entries: the question, a blank, the keys, what is chosen, and some of what was before. */
const OTHER_LINES = 6;

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
      if (answer === undefined) {
        // Enter empties the line; what was typed must stay where it is no answer.
        readline.write(picked.term);
        return setPicked({ ...picked, last: 'refused' });
      }
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
  const below = [
    keysFor(picked, matches, question),
    ...(question.isSeveral ? [chosenIn(picked, question)] : []),
  ];
  return [`${asked} ${picked.term}`, [page, '', ...below.map(theme.style.help)].join('\n')];
});

/** What a key meets. */
interface Scene {
  readonly picked: Picked;
  readonly matches: readonly Entry[];
  readonly question: PickQuestion;
  readonly lines: number;
}

function startOf({ entries, isSeveral, chosen }: PickQuestion): Picked {
  const start = { term: '', last: 'chosen' } as const;
  const wanted = new Set(chosen);
  const listed = entries.filter(({ value }) => wanted.has(value));
  if (isSeveral) return { ...start, active: 0, chosen: new Set(listed.map(({ value }) => value)) };
  const initial = entries.findIndex(({ value }) => wanted.has(value));
  return { ...start, active: Math.max(0, initial), chosen: new Set() };
}

/** Whoever types a name and presses Enter may think that this chooses it: several are not answered like that. */
function answerOf(
  { active, chosen, term, last }: Picked,
  matches: readonly Entry[],
  { entries, isSeveral }: PickQuestion,
): readonly Entry[] | undefined {
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
  if (question.isSeveral && isSpaceKey(key) && blankChooses(picked)) return toggled(picked, matches);
  if (line === picked.term) return picked;
  return { ...picked, term: line, active: line === '' ? startOf(question).active : 0, last: 'typed' };
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
  picked: Picked,
  matches: readonly Entry[],
  { entries, isSeveral, size }: PickQuestion,
): string {
  const hits =
    matches.length === entries.length ? `${entries.length}` : `${matches.length} of ${entries.length}`;
  const chooses = picked.term === '' ? 'tab or space chooses' : 'tab chooses';
  const keys =
    isSeveral && picked.last === 'refused'
      ? ['nothing was chosen by that', 'tab chooses', 'enter ends']
      : [hits, 'type to search', ...(isSeveral ? [chooses] : []), 'enter ends'];
  return truncate(keys.join(' · '), size().columns - 1);
}

function chosenIn({ chosen }: Picked, { entries, size }: PickQuestion): string {
  if (chosen.size === 0) return '0 chosen';
  const names = entries.filter(({ value }) => chosen.has(value)).map(({ short }) => short);
  return truncate(`${chosen.size} chosen: ${names.slice(0, MOST_REPEATED).join(', ')}`, size().columns - 1);
}

function repeated(answer: readonly Entry[]): string {
  const labels = answer.slice(0, MOST_REPEATED).map(({ label }) => label);
  const others = answer.length - labels.length;
  return [...(labels.length === 0 ? ['none'] : labels), ...(others > 0 ? [`${others} more`] : [])].join(', ');
}
