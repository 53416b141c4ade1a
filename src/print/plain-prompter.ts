import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { type Check, type Choice, Interruption, type Prompter } from '../cli/ports.ts';
import { quote } from '../model/text.ts';
import { folded, neutraliseLine } from './text.ts';

/** Chosen values that are listed after each answer. */
const MOST_LISTED = 20;

/**
 * A prompter for screen readers and terminals that cannot draw: plain lines, nothing redrawn, no escapes. A wrong answer
 * is explained and asked for again. ^C and ^D reject with an `Interruption`.
 */
export function createPlainPrompter(streams: PlainStreams): Prompter {
  const lines = openPlainLines(streams);
  return {
    text: (question, { check, initial } = {}) =>
      askText(lines, () => lines.ask(`${promptText(question, initial)}: `), check, initial),
    secret: (question, { check } = {}) =>
      askText(lines, () => lines.ask(`${promptText(question)} (hidden): `, true), check),
    confirm: (question) => askYes(lines, question),
    choose: (question, choices, { initial } = {}) => askOne(lines, question, choices, initial),
    chooseSeveral: (question, choices, { chosen = [] } = {}) => askSeveral(lines, question, choices, chosen),
  };
}

function promptText(question: string, initial = ''): string {
  const text = neutraliseLine(question);
  return initial === '' ? text : `${text} [${neutraliseLine(initial)}]`;
}

async function askText(
  { say }: PlainLines,
  read: () => Promise<string>,
  check: Check = () => undefined,
  initial = '',
): Promise<string> {
  for (;;) {
    const line = await read();
    const answer = line === '' ? initial : line;
    const problem = /\p{Cc}/u.test(line)
      ? 'The answer has control characters, as an arrow key types them; type it again.'
      : check(answer);
    if (problem === undefined) return answer;
    say(refusal(problem));
  }
}

/** Words instead of the sign or colour that other prompts show. */
function refusal(problem: string): string {
  return `Invalid: ${neutraliseLine(problem)}\n`;
}

async function askYes({ ask, say }: PlainLines, question: string): Promise<boolean> {
  for (;;) {
    const answer = (await ask(`${promptText(question)} [y/N] `)).trim();
    if (/^(?:y|yes)$/i.test(answer)) return true;
    if (/^(?:n|no)?$/i.test(answer)) return false;
    say(refusal('Answer yes or no, y or n; Enter alone is no.'));
  }
}

async function askOne(
  { ask, say }: PlainLines,
  question: string,
  choices: readonly Choice[],
  initial: string | undefined,
): Promise<string> {
  const entries = numbered(choices);
  const usual = entries.find(({ value }) => value === initial);
  say(`${promptText(question)}\n${shown(entries)}`);
  for (;;) {
    const answer = (await ask(`${promptText('Number, name, or a part of it', usual?.label)}: `)).trim();
    if (answer === '' && usual !== undefined) return usual.value;
    const found = find(answer, entries);
    if (typeof found === 'string') return found;
    say(
      answer === '' ? refusal('Type the number or the name of an entry.') : help(found, 'Nothing chosen yet'),
    );
  }
}

/** Each answer toggles the entries it names; Enter alone ends. */
async function askSeveral(
  { ask, say }: PlainLines,
  question: string,
  choices: readonly Choice[],
  before: readonly string[],
): Promise<readonly string[]> {
  const entries = numbered(choices);
  const chosen = new Set(before);
  const values = () => choices.map(({ value }) => value).filter((value) => chosen.has(value));
  say(`${promptText(question)}\n${shown(entries, chosen)}${chosenText(values())}`);
  for (;;) {
    const answer = (await ask('Toggle by number or name, as in 1,2; Enter ends: ')).trim();
    if (answer === '') return values();
    const found = findAll(answer, entries);
    if ('problem' in found) say(help(found, 'Nothing changed', chosen));
    else for (const value of found) if (!chosen.delete(value)) chosen.add(value);
    say(chosenText(values()));
  }
}

/** The values of the entries that an answer names, or all that is wrong with it. */
function findAll(answer: string, entries: readonly Entry[]): readonly string[] | NoMatch {
  const whole = find(answer, entries);
  if (typeof whole === 'string') return [whole];
  const words = answer.split(',').map((word) => word.trim());
  const found = words.filter((word) => word !== '').map((word) => find(word, entries));
  const problems = found.flatMap((each) => (typeof each === 'string' ? [] : [each.problem]));
  if (problems.length > 0) return { problem: problems.join(' '), parts: whole.parts };
  return [...new Set(found.filter((each) => typeof each === 'string'))];
}

/** The entries that have the answer in their name, or why it chose nothing. */
function help({ problem, parts }: NoMatch, outcome: string, marked?: ReadonlySet<string>): string {
  const [first, ...others] = parts;
  if (first === undefined) return refusal(problem);
  const number = others.length === 0 ? `${first.number}` : 'a number';
  return `${shown(parts, marked)}${outcome}: type ${number}.\n`;
}

function chosenText(values: readonly string[]): string {
  if (values.length === 0) return 'Chosen: none.\n';
  const more = values.length - MOST_LISTED;
  const names = values.slice(0, MOST_LISTED).map(neutraliseLine).join(', ');
  return `Chosen: ${names}${more > 0 ? ` and ${more} more` : ''}.\n`;
}

/** Maximum number of entries listed together. */
const MOST_SHOWN = 20;

/** Why an answer names no entry, and the entries that have it in their name. */
interface NoMatch {
  readonly problem: string;
  readonly parts: readonly Entry[];
}

interface Entry extends Choice {
  /** Counted from 1, the same whatever part of the list is shown. */
  readonly number: number;
}

function numbered(choices: readonly Choice[]): readonly Entry[] {
  return choices.map((each, index) => ({ ...each, label: neutraliseLine(each.label), number: index + 1 }));
}

/** Entries each on a line of its own, the first of them if they are many. */
function shown(entries: readonly Entry[], marked: ReadonlySet<string> = new Set()): string {
  const lines = entries
    .slice(0, MOST_SHOWN)
    .map(({ number, label, value }) => `  ${number}. ${label}${marked.has(value) ? ' (chosen)' : ''}\n`);
  const more = entries.length - lines.length;
  const remark = more === 0 ? '' : `  ... and ${more} more; type a part of a name to see fewer.\n`;
  return `${lines.join('')}${remark}`;
}

/**
 * The value of the entry that an answer means by its number, its value or its label. Where a number is also the name of another
 * entry, `#2` is the number and `=2` the name.
 */
function find(answer: string, entries: readonly Entry[]): string | NoMatch {
  const sign = /^[#=](?=\d+$)/.exec(answer)?.[0];
  const word = sign === undefined ? answer : answer.slice(1);
  const byNumber = /^\d+$/.test(word) ? entries[Number(word) - 1] : undefined;
  const byName = entryCalled(word, entries);
  const entry = sign === '#' ? byNumber : (byName ?? (sign === '=' ? undefined : byNumber));
  if (entry === undefined) {
    const words = folded(answer).trim().split(/\s+/);
    const parts = entries.filter((each) => {
      const name = folded(`${each.value} ${each.label}`);
      return words.every((word) => name.includes(word));
    });
    return { problem: `No entry is called ${quote(answer)}.`, parts };
  }
  if (sign !== undefined || byNumber === undefined || byNumber === entry) return entry.value;
  return {
    problem: `${quote(word)} is the number of one entry and the name of another: type #${word} for the number, =${word} for the name.`,
    parts: [],
  };
}

/** Upper and lower case are the same where only one entry can be meant. */
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

/** The terminal that prompts use. */
interface PlainStreams {
  /** A terminal shows what is typed, until `setRawMode` says not to. */
  readonly input: Readable & { setRawMode?(isRaw: boolean): unknown };
  /** Shows the questions: stderr. */
  readonly output: { write(text: string): unknown };
  /** Aborted when the run ends; rejects an open question with its reason. */
  readonly signal: AbortSignal;
}

/** Lines that are typed at a terminal in its own line mode, and words that are shown there. */
type PlainLines = ReturnType<typeof openPlainLines>;

/** A line, and the input after it. */
type Taken = readonly [line: string, rest: string];

/**
 * Reads lines in the terminal's own line mode. node:readline would write escapes, and with TERM=dumb it takes the
 * backspace key as part of a secret. Input typed ahead is kept for the next question.
 */
function openPlainLines({ input, output, signal }: PlainStreams) {
  const decoder = new StringDecoder('utf8');
  let typed = '';
  const next = async (take: (typed: string) => Taken | undefined): Promise<string> => {
    for (;;) {
      const taken = take(typed);
      if (taken !== undefined) {
        typed = taken[1];
        return taken[0];
      }
      typed += decoder.write(await readMore(input, signal));
    }
  };
  return {
    say: (text: string) => output.write(text),
    /**
     * Shows the question, and what is typed unless `isHidden`; returns the next line without its end.
     *
     * @throws {Interruption} on ^C and ^D.
     */
    async ask(question: string, isHidden = false): Promise<string> {
      // Before the question, so that the first letters are not shown either.
      if (isHidden) input.setRawMode?.(true);
      output.write(question);
      let isLineEnded = false;
      try {
        const line = await next(isHidden ? takeHidden : takeLine);
        // The terminal showed the Enter key.
        isLineEnded = !isHidden;
        return line;
      } finally {
        if (isHidden) input.setRawMode?.(false);
        if (!isLineEnded) output.write('\n');
      }
    },
  };
}

/** The next input. Between questions the input is paused, so that other readers can use it and the process can end. */
function readMore(input: Readable, signal: AbortSignal): Promise<Buffer> {
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
  return [typed.slice(0, end.index), typed.slice(end.index + end[0].length)];
}

/** In raw mode a terminal does not handle backspace, ^U, ^C and ^D either. */
function takeHidden(typed: string): Taken | undefined {
  let line: readonly string[] = [];
  let at = 0;
  for (const key of typed) {
    at += key.length;
    if (key === '\r' || key === '\n') return [line.join(''), typed.slice(at)];
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
