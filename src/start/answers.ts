/** What the build writes down, so that it can be answered without the program. */
export interface Answers {
  readonly version: string;
  /** Help pages as JSON, by the words that lead to them; no words lead to that of the root. */
  readonly pages: Readonly<Record<string, string>>;
  /** Other words that lead to a page, and those by which it stands in `pages`. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Commands that need a verb behind them, and show their page without one. */
  readonly groups: readonly string[];
  /** For each shell the name of its file in completions/, and where to put it. */
  readonly completions: Readonly<Record<string, { readonly file: string; readonly place: string }>>;
}

/** What is printed: the result, and what is said beside it. */
export type Answer =
  | { readonly text: string }
  | { readonly page: string }
  | { readonly file: string; readonly place: string };

/**
 * The answer to a command line, where the program would give this one and no other; `undefined` for all else.
 *
 * @param words the words after the program's name.
 */
export function answerTo(words: readonly string[], answers: Answers): Answer | undefined {
  const [first = '', second = ''] = words;
  if (words.length === 1 && (first === '--version' || first === '-V'))
    return { text: `${answers.version}\n` };
  if (words.length === 2 && first === 'completion' && Object.hasOwn(answers.completions, second)) {
    return answers.completions[second];
  }
  const name = pageNamed(words, answers);
  const page = name === undefined ? undefined : answers.pages[name];
  return page === undefined ? undefined : { page };
}

/** `properties create --help`, `help properties create`, and `properties`, which is none without a verb. */
function pageNamed(words: readonly string[], answers: Answers): string | undefined {
  const last = words.at(-1);
  if (last === '--help' || last === '-h') return walk(words.slice(0, -1), answers);
  if (words[0] === 'help') return walk(words.slice(1), answers);
  const name = walk(words, answers);
  return name !== undefined && answers.groups.includes(name) ? name : undefined;
}

function walk(words: readonly string[], { pages, aliases }: Answers): string | undefined {
  let name = '';
  for (const word of words) {
    const longer = name === '' ? word : `${name} ${word}`;
    if (word !== '' && Object.hasOwn(pages, longer)) name = longer;
    else if (Object.hasOwn(aliases, longer)) name = aliases[longer] ?? '';
    else return undefined;
  }
  return name;
}
