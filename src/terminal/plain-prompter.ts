import type { Check, Choice, Prompter } from '../prompter.ts';
import { neutraliseLine } from '../render/text.ts';
import { type Found, type NumberedList, numbered } from './plain-choices.ts';
import { openPlainLines, type PlainLines, type PlainStreams } from './plain-lines.ts';

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
