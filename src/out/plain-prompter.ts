import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { type Check, type Choice, Interruption, type Prompter } from '../cli/ports.ts';
import { quote } from '../model/text.ts';
import { neutraliseLine } from './text.ts';

/** Values of what is chosen that are read out after each answer. */
const MOST_TOLD = 20;

/**
 * A prompter for screen readers and terminals that cannot draw: lines of words, nothing drawn over, no escapes. A wrong
 * answer is explained and asked for again. ^C, and ^D, reject with an `Interruption`.
 */
export function createPlainPrompter(streams: PlainStreams): Prompter {
  const desk: Desk = { lines: openPlainLines(streams), say: (text) => streams.output.write(text) };
  return {
    text: (question, { check, initial } = {}) =>
      askText(desk, () => desk.lines.ask(`${asked(question, initial)}: `), check, initial),
    secret: (question, { check } = {}) =>
      askText(desk, () => desk.lines.askHidden(`${asked(question)} (is not shown): `), check),
    confirm: (question) => askYes(desk, question),
    choose: (question, choices, { initial } = {}) => askOne(desk, question, choices, initial),
    chooseSeveral: (question, choices, { chosen = [] } = {}) => askSeveral(desk, question, choices, chosen),
  };
}

/** Where lines come from and words go to. */
interface Desk {
  readonly lines: PlainLines;
  readonly say: (text: string) => void;
}

function asked(question: string, initial = ''): string {
  const text = neutraliseLine(question);
  return initial === '' ? text : `${text} [${neutraliseLine(initial)}]`;
}

async function askText(
  { say }: Desk,
  read: () => Promise<string>,
  check: Check = () => true,
  initial = '',
): Promise<string> {
  for (;;) {
    const line = await read();
    const answer = line === '' ? initial : line;
    const verdict = /\p{Cc}/u.test(line)
      ? 'The answer has control characters, as an arrow key types them; type it again.'
      : await check(answer);
    if (verdict === true) return answer;
    say(`${refusal(verdict)}\n`);
  }
}

/** The word tells what a sign or a colour would. */
function refusal(verdict: string): string {
  return `Not taken: ${neutraliseLine(verdict)}`;
}

async function askYes({ lines, say }: Desk, question: string): Promise<boolean> {
  for (;;) {
    const answer = (await lines.ask(`${asked(question)} [y/N] `)).trim();
    if (/^(?:y|yes)$/i.test(answer)) return true;
    if (/^(?:n|no)?$/i.test(answer)) return false;
    say(`${refusal('Answer yes or no, y or n; Enter alone is no.')}\n`);
  }
}

async function askOne(
  { lines, say }: Desk,
  question: string,
  choices: readonly Choice[],
  initial: string | undefined,
): Promise<string> {
  const list = numbered(choices);
  const usual = choices.find(({ value }) => value === initial);
  say(`${asked(question)}\n${list.show('')}`);
  for (;;) {
    const answer = (await lines.ask(`${asked('Number, name, or a part of it', usual?.label)}: `)).trim();
    if (answer === '' && usual !== undefined) return usual.value;
    const found = list.find(answer);
    if ('value' in found) return found.value;
    say(help(answer, found, { list, so: 'Not chosen yet' }));
  }
}

/** What an answer was looked for in, and what did not become of it. */
interface Asked {
  readonly list: NumberedList;
  readonly marked?: ReadonlySet<string>;
  readonly so: string;
}

/** What a part of a name is found in, and that this chose nothing; or why the answer is none. */
function help(answer: string, { problem, partOf }: Misfit, { list, marked, so }: Asked): string {
  if (answer === '') return `${refusal('Type the number or the name of one.')}\n`;
  const [first, second] = partOf;
  if (first === undefined) return `${refusal(problem)}\n`;
  const number = second === undefined ? `${first}` : 'a number';
  return `${list.show(answer, marked)}${so}: type ${number}.\n`;
}

type Misfit = Extract<Found, { readonly problem: string }>;

/** Each answer turns the entries it names round: chosen becomes not chosen. Enter alone ends. */
async function askSeveral(
  { lines, say }: Desk,
  question: string,
  choices: readonly Choice[],
  before: readonly string[],
): Promise<readonly string[]> {
  const list = numbered(choices);
  let chosen: ReadonlySet<string> = new Set(before);
  const values = () => choices.map(({ value }) => value).filter((value) => chosen.has(value));
  say(`${asked(question)}\n${list.show('', chosen)}${told(values())}`);
  for (;;) {
    const answer = (await lines.ask('Add or take away, as in 1,2; Enter ends: ')).trim();
    if (answer === '') return values();
    const turned = choicesNamed(answer, list);
    if ('problem' in turned) {
      const so = 'Nothing was added or taken away';
      say(`${help(answer, turned, { list, marked: chosen, so })}${told(values())}`);
    } else {
      chosen = symmetricDifference(chosen, turned.values);
      say(told(values()));
    }
  }
}

/** The entries that an answer names, each once, or all that is wrong with it. */
function choicesNamed(answer: string, list: NumberedList): { readonly values: ReadonlySet<string> } | Misfit {
  const whole = list.find(answer);
  if ('value' in whole) return { values: new Set([whole.value]) };
  const words = answer
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const found = words.map((word) => list.find(word));
  const problems = found.flatMap((each) => ('problem' in each ? [each.problem] : []));
  if (problems.length > 0) return { problem: problems.join(' '), partOf: whole.partOf };
  return { values: new Set(found.flatMap((each) => ('value' in each ? [each.value] : []))) };
}

function symmetricDifference(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([
    ...[...one].filter((each) => !other.has(each)),
    ...[...other].filter((each) => !one.has(each)),
  ]);
}

function told(values: readonly string[]): string {
  if (values.length === 0) return 'Chosen: none.\n';
  const more = values.length - MOST_TOLD;
  const names = values.slice(0, MOST_TOLD).map(neutraliseLine).join(', ');
  return `Chosen: ${names}${more > 0 ? ` and ${more} more` : ''}.\n`;
}

/** Entries that are read out at once. */
const MOST_SHOWN = 20;

/** A list whose entries are called by their number, their value, or their label. */
interface NumberedList {
  /** The entries whose label or value has the text, the first of them if they are many, each on a line of its own. */
  show(part: string, marked?: ReadonlySet<string>): string;
  find(answer: string): Found;
}

/** The value of the entry that an answer means, or what is wrong with it, and the numbers of the entries it is a part of. */
type Found = { readonly value: string } | { readonly problem: string; readonly partOf: readonly number[] };

interface Entry extends Choice {
  /** Counted from 1, the same whatever part of the list is shown. */
  readonly number: number;
}

/** Numbers the choices. Upper and lower case are the same where only one entry can be meant. */
function numbered(choices: readonly Choice[]): NumberedList {
  const entries = choices.map(({ value, label }, index) => ({
    value,
    label: neutraliseLine(label),
    number: index + 1,
  }));
  return {
    show: (part, marked = new Set()) => shown(matching(entries, part), marked),
    find: (answer) => found(answer.trim(), entries),
  };
}

function matching(entries: readonly Entry[], part: string): readonly Entry[] {
  const wanted = part.trim().toLowerCase();
  return entries.filter((entry) => namesOf(entry).some((name) => name.includes(wanted)));
}

function shown(entries: readonly Entry[], marked: ReadonlySet<string>): string {
  const lines = entries
    .slice(0, MOST_SHOWN)
    .map(({ number, label, value }) => `  ${number}. ${label}${marked.has(value) ? ' (chosen)' : ''}\n`);
  const more = entries.length - lines.length;
  const remark = more === 0 ? '' : `  ... and ${more} more; type a part of a name to see fewer.\n`;
  return `${lines.join('')}${remark}`;
}

/** A number that is also the name of another entry is nobody's guess: `#2` is the number, `=2` the name. */
function found(answer: string, entries: readonly Entry[]): Found {
  const sign = /^[#=](?=\d+$)/.exec(answer)?.[0];
  const word = sign === undefined ? answer : answer.slice(1);
  const byNumber = /^\d+$/.test(word) ? entries[Number(word) - 1] : undefined;
  const byName = entryCalled(word, entries);
  const entry = sign === '#' ? byNumber : (byName ?? (sign === '=' ? undefined : byNumber));
  if (entry === undefined) {
    const partOf = matching(entries, answer).map(({ number }) => number);
    return { problem: `Nothing here is called ${quote(answer)}.`, partOf };
  }
  if (sign !== undefined || byNumber === undefined || byNumber === entry) return { value: entry.value };
  return {
    problem: `${quote(word)} is the number of one entry and the name of another: type #${word} for the number, =${word} for the name.`,
    partOf: [],
  };
}

function entryCalled(word: string, entries: readonly Entry[]): Entry | undefined {
  const exact = entries.find(({ value }) => value === word);
  if (exact !== undefined) return exact;
  const wanted = word.toLowerCase();
  const alike = entries.filter((entry) => namesOf(entry).includes(wanted));
  return alike.length === 1 ? alike[0] : undefined;
}

function namesOf({ value, label }: Entry): readonly string[] {
  return [value.toLowerCase(), label.toLowerCase()];
}

/** Where the person is. */
interface PlainStreams {
  /** A terminal shows what is typed, until `setRawMode` says not to. */
  readonly input: Readable & { setRawMode?(isRaw: boolean): unknown };
  /** Gets the questions: stderr. */
  readonly output: { write(text: string): unknown };
  /** Aborted when the run ends; an open question is then rejected with the signal's reason. */
  readonly signal: AbortSignal;
}

/** Lines as a person types them at a terminal that is left to itself. */
interface PlainLines {
  /** Shows the question and returns the next line, without its end. Rejects with an `Interruption` on ^C, and on ^D. */
  ask(question: string): Promise<string>;
  /** The same, and shows nothing of what is typed. */
  askHidden(question: string): Promise<string>;
}

/** A line, and what was typed after it. */
interface Taken {
  readonly line: string;
  readonly rest: string;
}

/**
 * Reads lines without drawing: the terminal shows and corrects what is typed by itself. node:readline would write
 * escapes, and at TERM=dumb it takes the backspace key for a part of a secret. What was typed ahead is kept for the
 * next question.
 */
function openPlainLines({ input, output, signal }: PlainStreams): PlainLines {
  const decoder = new StringDecoder('utf8');
  let typed = '';
  const next = async (take: (typed: string) => Taken | undefined): Promise<string> => {
    for (;;) {
      const taken = take(typed);
      if (taken !== undefined) {
        typed = taken.rest;
        return taken.line;
      }
      typed += decoder.write(await moreOf(input, signal));
    }
  };
  return {
    async ask(question) {
      output.write(question);
      try {
        return await next(takeLine);
      } catch (error) {
        output.write('\n');
        throw error;
      }
    },
    async askHidden(question) {
      // Before the question, lest the first letters are shown.
      input.setRawMode?.(true);
      output.write(question);
      try {
        return await next(takeHidden);
      } finally {
        input.setRawMode?.(false);
        output.write('\n');
      }
    },
  };
}

/** What is typed next; between the questions nobody listens, so that others may read, and the program may end. */
function moreOf(input: Readable, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    if (input.readableEnded || input.destroyed) return reject(new Interruption('SIGINT'));
    const leave = () => {
      input.off('data', onData).off('end', onEnd).off('error', onError).pause();
      signal.removeEventListener('abort', onAbort);
    };
    const onData = (chunk: Buffer) => {
      leave();
      resolve(chunk);
    };
    const onError = (error: unknown) => {
      leave();
      reject(error);
    };
    const onEnd = () => onError(new Interruption('SIGINT'));
    const onAbort = () => onError(signal.reason);
    input.on('data', onData).on('end', onEnd).on('error', onError).resume();
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function takeLine(typed: string): Taken | undefined {
  const end = /\r\n|\n|\r/.exec(typed);
  if (end === null) return undefined;
  return { line: typed.slice(0, end.index), rest: typed.slice(end.index + end[0].length) };
}

/** Without its echo a terminal does not mind the keys either: backspace, ^U, ^C and ^D. */
function takeHidden(typed: string): Taken | undefined {
  let line: readonly string[] = [];
  let at = 0;
  for (const key of typed) {
    at += key.length;
    if (key === '\r' || key === '\n') return { line: line.join(''), rest: typed.slice(at) };
    if (key === '\u0003' || (key === '\u0004' && line.length === 0)) throw new Interruption('SIGINT');
    line = lineAfter(key, line);
  }
  return undefined;
}

function lineAfter(key: string, line: readonly string[]): readonly string[] {
  if (key === '\u007f' || key === '\b') return line.slice(0, -1);
  if (key === '\u0015') return [];
  return key === '\u0004' ? line : [...line, key];
}
