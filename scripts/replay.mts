import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { digestOf, openBuild, workshop } from './replay/builds.mts';
import { type Allowed, allowing, diffOf, readAllowed, rowsOf } from './replay/compare.mts';
import { collectSessions, type Session, writeHome } from './replay/lines.mts';
import { type Result, runSessions } from './replay/runs.mts';

/** The results of sessions. */
type Results = Map<string, readonly Result[]>;

/** A line that two builds answer differently. */
interface Difference {
  readonly line: string;
  readonly diff: readonly string[];
  /** Of the diff, the rows that differ. */
  readonly rows: readonly string[];
  /** The entries that allow it; `undefined` if it is not allowed. */
  readonly allowed: readonly Allowed[] | undefined;
}

const here = join(import.meta.dirname, 'replay');
const files = join(workshop, 'files');

/**
 * `npm run replay -- OLD NEW [--only WORD...]`: runs the command lines of OLD with two builds, and compares what they print, how they
 * exit and what they send. OLD and NEW are commits or folders with a checkout; results of OLD are kept. replay/allowed.yaml says what may
 * differ. `--only`: only lines with one of these words. Exits with 1 if something else differs, or if an entry allows nothing.
 */
async function main(): Promise<void> {
  const { old, next, words } = readArguments();
  const [before, after] = [openBuild(old), openBuild(next)];
  rmSync(files, { recursive: true, force: true });
  await writeHome(before, files);
  const { sessions, expected } = await runOld(old, before, words);
  const actual: Results = new Map();
  await complete(next, after, sessions, actual);
  const entries = readAllowed(readFileSync(join(here, 'allowed.yaml'), 'utf8'));
  const differences = sessions.flatMap((session) => differencesOf(session, expected, actual, entries));
  const isUsed = (entry: Allowed) =>
    words.length > 0 || differences.some(({ allowed }) => allowed?.includes(entry));
  process.exitCode = report(
    sessions,
    differences,
    entries.filter((entry) => !isUsed(entry)),
  )
    ? 0
    : 1;
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'boolean' } },
  });
  const [old, next, ...words] = positionals;
  if (old === undefined || next === undefined || words.length > 0 !== (values.only ?? false))
    throw new Error('Usage: npm run replay -- OLD NEW [--only WORD...]');
  return { old, next, words };
}

/** The sessions with these words, or all of them, and what they did. A line that only the dialect apaleo has is run in it as well. */
async function runOld(name: string, build: string, words: readonly string[]) {
  const { results, save } = openCache(build);
  const isMeant = ({ lines }: Session) => words.some((word) => lines.some((line) => line.includes(word)));
  const all = await collectSessions(build);
  const sessions = words.length === 0 ? all : all.filter(isMeant);
  await complete(name, build, sessions, results);
  const further = sessions.flatMap((session) => inApaleo(session, resultsOf(session, results)));
  await complete(`${name} in apaleo`, build, further, results);
  save();
  return { sessions: [...sessions, ...further], expected: results };
}

function inApaleo({ lines: [line = '', ...more] }: Session, [result]: readonly Result[]): readonly Session[] {
  if (more.length > 0 || !result?.stderr.includes('needs dialect apaleo')) return [];
  return [{ source: 'again in apaleo', lines: [`INNCTL_DIALECT=apaleo ${line}`] }];
}

/** Runs the sessions that have no results yet. */
async function complete(
  name: string,
  build: string,
  sessions: readonly Session[],
  results: Results,
): Promise<void> {
  const missing = sessions.filter((session) => !results.has(keyOf(session)));
  let done = 0;
  await runSessions(build, missing, files, (session, ended) => {
    results.set(keyOf(session), ended);
    done += 1;
    if (done % 200 === 0 || done === missing.length) say(`${name}: ${done} of ${missing.length} sessions.`);
  });
}

/** Results by build, by the files of a home and by the code of the replay. */
function openCache(build: string) {
  const digest = createHash('sha256').update(digestOf(build));
  for (const folder of [files, here])
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile() && entry.name !== 'allowed.yaml')
        digest.update(readFileSync(join(entry.parentPath, entry.name)));
  const path = join(workshop, `${digest.digest('hex').slice(0, 16)}.json`);
  const results: Results = new Map(existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []);
  return { results, save: () => writeFileSync(path, JSON.stringify([...results])) };
}

function keyOf(session: Session): string {
  return JSON.stringify([session.lines, session.files]);
}

function resultsOf(session: Session, results: Results): readonly Result[] {
  return results.get(keyOf(session)) ?? [];
}

function differencesOf(
  session: Session,
  expected: Results,
  actual: Results,
  entries: readonly Allowed[],
): readonly Difference[] {
  const [before, after] = [resultsOf(session, expected), resultsOf(session, actual)];
  return session.lines.flatMap((line, index) => {
    const [old, next] = [before[index], after[index]];
    const diff = old && next ? diffOf(rowsOf(old), rowsOf(next)) : [];
    const rows = diff.filter((row) => /^[+-]/.test(row));
    const typed = line.replace(/^.*?\binnctl (?:--sandbox )?/, '');
    return rows.length === 0 ? [] : [{ line, diff, rows, allowed: allowing(typed, rows, entries) }];
  });
}

/** @returns whether nothing differs that is not allowed, and each entry allows something. */
function report(
  sessions: readonly Session[],
  differences: readonly Difference[],
  unused: readonly Allowed[],
): boolean {
  const refused = differences.filter(({ allowed }) => allowed === undefined);
  // The same change of many lines is shown once.
  for (const group of groupBy(refused, ({ rows }) => rows.join('\n')).values()) showGroup(group);
  for (const { line, reason } of unused)
    say(`Nothing differs that allowed.yaml allows for ${line}: ${reason}`);
  const count = (some: readonly Session[]) => some.reduce((sum, { lines }) => sum + lines.length, 0);
  const sources = groupBy(sessions, ({ source }) => source);
  say(`Lines: ${[...sources].map(([source, own]) => `${count(own)} ${source}`).join(', ')}.`);
  const equal = count(sessions) - differences.length;
  say(`${equal} equal, ${differences.length - refused.length} allowed, ${refused.length} different.`);
  return refused.length + unused.length === 0;
}

function showGroup(group: readonly Difference[]): void {
  const cut = (rows: readonly string[], most: number) =>
    rows.length <= most ? rows : [...rows.slice(0, most), `... and ${rows.length - most} more`];
  const lines = cut(
    group.map(({ line }) => `$ ${line}`),
    8,
  );
  say([...lines, ...cut(group[0]?.diff ?? [], 40).map((row) => `    ${row}`), ''].join('\n'));
}

function groupBy<Each>(
  all: readonly Each[],
  nameOf: (each: Each) => string,
): ReadonlyMap<string, readonly Each[]> {
  const groups = new Map<string, Each[]>();
  for (const each of all) groups.set(nameOf(each), [...(groups.get(nameOf(each)) ?? []), each]);
  return groups;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

await main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
});
