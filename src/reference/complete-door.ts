import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { placesOf } from '../config/places.ts';
import { quietly } from '../fs/replace.ts';
import { type Answer, complete, type Data, type Line, type Surroundings } from './complete.ts';

/** Larger files are not ours. */
const LARGEST = 8 * 1_048_576;

/** Bytes of a journal that are searched for runs. */
const TAIL = 65_536;

const NOTHING = ':nothing\t\n';

/** Journals that are searched. */
const MOST_JOURNALS = 50;

/**
 * Answers `innctl __complete` without loading the program, from what the build knows and from what
 * commands left on the disk: no
 * network, no locks, no writes. Whatever happens, the answer is a text, and there is no error.
 *
 * @param words what follows `__complete`.
 * @param dataText reads what `completionData` made.
 */
export function answerCompletion(
  words: readonly string[],
  dataText: () => string,
  { env, platform }: Pick<NodeJS.Process, 'env' | 'platform'>,
): string {
  const answer = quietly(() => {
    const { config, state } = placesOf({ env, platform, home: homedir() });
    if (config === undefined || state === undefined) return NOTHING;
    const data: Data = JSON.parse(dataText());
    return completionText(words, {
      ...data,
      env,
      config,
      state,
      read: (...path) => quietly(() => readWhole(join(...path))) ?? '',
      journals: () => quietly(() => journalTails(join(state, 'journal'))) ?? [],
    });
  });
  return answer ?? NOTHING;
}

function readWhole(path: string): string {
  const { size } = statSync(path);
  return size > LARGEST ? '' : readPart(path, LARGEST);
}

/** The end of a file. @throws when it is no regular file. Without O_NONBLOCK, opening a named pipe waits for its other end. */
function readPart(path: string, most: number): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error('not a file');
    const bytes = Buffer.alloc(Math.min(found.size, most));
    const from = found.size - bytes.length;
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, from));
  } finally {
    closeSync(file);
  }
}

function journalTails(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => ({ path: join(folder, name), at: statSync(join(folder, name)).mtimeMs }))
    .sort((one, other) => other.at - one.at)
    .slice(0, MOST_JOURNALS)
    .map(({ path }) => quietly(() => readPart(path, TAIL)) ?? '');
}

/**
 * The answer to `innctl __complete`: one candidate per line, a tab and its description; the last line is a colon, a directive
 * (see `Answer`), a tab and the kept beginning of the word. The first word says which shell asks, and how; without one, all
 * words are those of the command line, the last one being the unfinished one.
 *
 *     __complete --bash <before the cursor> <after it> <what is replaced> <COMP_TYPE> <what compopt is>
 *     __complete --zsh=<words after the cursor> <word>...
 *     __complete --fish <word>...
 *     __complete --powershell=<words after the cursor> <base64: words, then what is replaced, separated by NUL>
 */
function completionText(args: readonly string[], around: Surroundings): string {
  const [, shell = '', number = '0'] = /^--(bash|zsh|fish|powershell)(?:=(\d+))?$/.exec(args[0] ?? '') ?? [];
  const words = shell === '' ? args : args.slice(1);
  const answerTo = (line: Line) => complete(line, around);
  if (shell === 'bash') return bashText(words, answerTo);
  if (shell === 'powershell') return powershellText(words[0] ?? '', Number(number), answerTo);
  const line = lineOf(words, Number(number));
  const { kept, offers, directive } = answerTo(line);
  const rest = line.typed.slice(kept.length);
  const candidates = offers.map(({ value, description }) => {
    // zsh compares by itself, as it is configured.
    if (shell === 'zsh') return `${value.replaceAll(/[\\:]/g, '\\$&')}${description && `:${description}`}`;
    const fits = shell === 'fish' ? value.toLowerCase().includes(rest.toLowerCase()) : value.startsWith(rest);
    return fits ? `${kept}${value}\t${description}` : '';
  });
  return textOf(candidates, directive, kept);
}

function lineOf(words: readonly string[], after: number): Line {
  const at = words.length - 1 - after;
  return { before: words.slice(0, Math.max(0, at)), typed: words[at] ?? '', after: words.slice(at + 1) };
}

function textOf(candidates: readonly string[], directive: Answer['directive'], kept: string): string {
  return [...candidates.filter(Boolean), `:${directive}\t${kept}`, ''].join('\n');
}

/** What readline inserts: the rest of each word behind what it keeps, quoted as the word began. */
function bashText(args: readonly string[], answerTo: (line: Line) => Answer): string {
  const [before = '', after = '', replaced = '', type = '', compopt = ''] = args;
  const { words, plain: typed, raw, quote } = split(before);
  const others = split(`${after.replace(/^\S*/, '')} `).words;
  const { kept, offers, directive } = answerTo({ before: words.slice(1), typed, after: others });
  const keeps = split(raw.endsWith(replaced) ? raw.slice(0, raw.length - replaced.length) : raw).plain;
  const found = offers
    .map(({ value, description }) => ({ word: `${kept}${value}`, description }))
    .filter(({ word }) => word.startsWith(typed));
  const isList = type === '63' && found.length > 1;
  const isOld = compopt === '' && found.length === 1 && quote === '' && directive !== 'nospace';
  const candidates = found.map(({ word, description }) => {
    const rest = word.startsWith(keeps) ? word.slice(keeps.length) : word;
    if (isList) return `${rest}${description && `  (${description})`}`;
    // An old bash was told to add no blank, because it cannot be told for each word.
    return `${inBash(rest, quote)}${isOld ? ' ' : ''}`;
  });
  return textOf(candidates, directive, '');
}

/**
 * Splits a command line of bash.
 *
 * @returns the words that a blank ends, without their quoting; of the last one `plain`, its text without quoting, `raw`, the
 *   text itself, and `quote`, which is still open.
 */
function split(text: string) {
  const words: string[] = [];
  let [plain, raw, quote] = ['', '', ''];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quote === '' && /[ \t\n]/.test(character)) {
      if (raw !== '') words.push(plain);
      [plain, raw] = ['', ''];
      continue;
    }
    raw += character;
    if (character === quote) quote = '';
    else if (quote === '' && /['"]/.test(character)) quote = character;
    else if (character === '\\' && quote !== "'") {
      at += 1;
      const next = text[at] ?? '';
      raw += next;
      plain += quote === '"' && !/["\\$`]/.test(next) ? `\\${next}` : next;
    } else plain += character;
  }
  return { words, plain, raw, quote };
}

/** A text as it must stand behind an open quote, or without one. */
function inBash(text: string, quote: string): string {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  if (quote === '"') return text.replaceAll(/["\\$`]/g, '\\$&').replaceAll('!', `"'!'"`);
  return text.replaceAll(/[^\w,.@%+=:/\u{80}-\u{10ffff}-]/gu, '\\$&');
}

/** What PowerShell inserts in place of what it takes for the word alone: of `BER,V` the `V`. */
function powershellText(coded: string, number: number, answerTo: (line: Line) => Answer): string {
  const words = Buffer.from(coded, 'base64').toString().split('\0');
  const { before, typed: raw, after } = lineOf(words.slice(0, -1), number);
  const replaced = words.at(-1) ?? '';
  const typed = raw.replaceAll(/^['"]|['"]$/g, '');
  if (/['"]/.test(typed)) return textOf([], 'nothing', '');
  const { kept, offers, directive } = answerTo({ before, typed, after });
  const keeps = typed === raw && raw.endsWith(replaced) ? raw.slice(0, raw.length - replaced.length) : '';
  const candidates = offers.map(({ value, description }) => {
    const word = `${kept}${value}`;
    if (!word.toLowerCase().startsWith(typed.toLowerCase())) return '';
    return `${inPowershell(word.slice(keeps.length))}\t${description || value}`;
  });
  return textOf(candidates, directive, '');
}

/** In single quotes unless it is plain; PowerShell takes typographic quotes for single ones. */
function inPowershell(text: string): string {
  if (/^(-{0,2}[A-Za-z0-9][\w.:/@+=-]*)?$/.test(text)) return text;
  return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
}
