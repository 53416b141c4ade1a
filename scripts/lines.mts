import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** What the repository may weigh: code lines and files of src, code lines of test, words that a newcomer must read. */
export type Totals = Readonly<Record<'src' | 'files' | 'test' | 'words', number>>;

/** budget.json. A raise says which total rises by how much and why; `rooms` only shows the code lines of each folder of src. */
export interface Budget {
  readonly totals: Totals;
  readonly raises: readonly { readonly total: keyof Totals; readonly by: number; readonly reason: string }[];
  readonly rooms: Readonly<Record<string, number>>;
}

const PATH = 'budget.json';
const names = ['src', 'files', 'test', 'words'] as const;
const pagesToRead = ['ARCHITECTURE.md', 'docs/decisions.md'];

/**
 * `npm run lines`: code lines and files of src by room, then the totals beside budget.json. `-- --write` lowers the budget to them;
 * `-- --since COMMIT` fails if a total of the budget is higher than at that commit, but for what its raises say.
 */
function main(option?: string, commit = ''): void {
  const budget = readBudget(readFileSync(PATH, 'utf8'));
  if (option === '--since') {
    compareSince(commit, budget);
    return;
  }
  const sources = filesOf('src');
  const now = totals(sources);
  const isWritten = option === '--write';
  const most = (name: keyof Totals) =>
    isWritten ? Math.min(now[name], budget.totals[name]) : budget.totals[name];
  const next = Object.fromEntries(names.map((name) => [name, most(name)]));
  if (isWritten) {
    const rooms = Object.fromEntries(roomsOf(sources).map(({ room, lines }) => [room, lines]));
    writeFileSync(PATH, `${JSON.stringify({ ...budget, totals: next, rooms }, undefined, 2)}\n`);
  }
  const rows = roomsOf(sources).map(({ room, lines, files }) => `| ${room}/ | ${lines} | ${files} |`);
  const head = ['| folder | code lines | files |', '|---|--:|--:|'];
  const sums = names.map((name) => `| ${name} | ${now[name]} | ${next[name]} |`);
  const table = [...head, ...rows, '', '| total | now | budget |', '|---|--:|--:|', ...sums];
  process.stdout.write(`${table.join('\n')}\n`);
}

/** The totals of the working tree. */
export function totals(sources = filesOf('src')): Totals {
  const sum = (files: readonly { readonly lines: number }[]) =>
    files.reduce((all, { lines }) => all + lines, 0);
  const words = pagesToRead.map((path) => readFileSync(path, 'utf8').split(/\s+/).filter(Boolean).length);
  return {
    src: sum(sources),
    files: sources.length,
    test: sum(filesOf('test')),
    words: words.reduce((all, count) => all + count, 0),
  };
}

/** What rose between two budgets without a raise that says so, a sentence each. */
export function unexplained(before: Budget, after: Budget): readonly string[] {
  const known = new Set(before.raises.map((raise) => JSON.stringify(raise)));
  const fresh = after.raises.filter((raise) => !known.has(JSON.stringify(raise)));
  return names.flatMap((name) => {
    const allowed = fresh.filter(({ total }) => total === name).reduce((sum, { by }) => sum + by, 0);
    const risen = after.totals[name] - before.totals[name];
    return risen <= allowed ? [] : [`${name} rises by ${risen}; the raises of budget.json allow ${allowed}`];
  });
}

export function readBudget(text: string): Budget {
  return JSON.parse(text);
}

function compareSince(commit: string, budget: Budget): void {
  const before = execFileSync('git', ['show', `${commit}:${PATH}`], { encoding: 'utf8' });
  const found = unexplained(readBudget(before), budget);
  process.exitCode = found.length > 0 ? 1 : 0;
  const equal = `No total of ${PATH} rises above that of ${commit}.`;
  process.stdout.write(`${found.join('\n') || equal}\n`);
}

interface CodeFile {
  readonly room: string;
  readonly lines: number;
}

/** The code files of a folder. Blank lines and lines with only comments are not counted. */
function filesOf(folder: string): readonly CodeFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[cm]?[jt]s$/.test(path))
    .map((path) => ({ room: path.split(sep).slice(0, -1)[0] ?? '.', lines: codeLines(join(folder, path)) }));
}

function roomsOf(files: readonly CodeFile[]) {
  return [...new Set(files.map(({ room }) => room))].toSorted().map((room) => {
    const own = files.filter((file) => file.room === room);
    return { room, lines: own.reduce((sum, { lines }) => sum + lines, 0), files: own.length };
  });
}

function codeLines(path: string): number {
  let inComment = false;
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => {
      const isComment = inComment || line.startsWith('/*') || line.startsWith('//');
      inComment = (inComment || line.startsWith('/*')) && !line.endsWith('*/');
      return line !== '' && !isComment;
    }).length;
}

if (import.meta.filename === process.argv[1]) main(...process.argv.slice(2));
