import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lines that run in one home, one after the other. */
export interface Session {
  readonly source: string;
  readonly lines: readonly string[];
  /** Texts of files in the home, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A command line of innctl. */
export interface Command {
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
  /** The file that gets what is printed. */
  readonly target?: string | undefined;
}

/** The sessions that a checkout tells of in its help, documents and tests; those of one line only once. */
export async function collectSessions(build: string): Promise<readonly Session[]> {
  const sessions = [
    ...ownSessions(),
    ...paperSections(build).flatMap(sessionsOfSection),
    ...linesOf('help', helpLines(build)),
    ...linesOf('reference', await referenceLines(build)),
    ...linesOf('tests', testLines(build)),
  ];
  const seen = new Set<string>();
  return sessions.filter(({ lines: [line = '', ...more] }) => {
    if (more.length > 0) return true;
    const isNew = !seen.has(line);
    seen.add(line);
    return isNew;
  });
}

/** Puts the files into a folder that the lines of a checkout name. */
export async function writeHome(build: string, home: string): Promise<void> {
  mkdirSync(join(home, 'test'), { recursive: true });
  const reference = join(build, 'test/reference');
  const isData = (path: string) => !path.endsWith('.ts');
  for (const folder of ['.', 'test/reference'])
    cpSync(reference, join(home, folder), { recursive: true, filter: isData });
  for (const { files } of paperSections(build))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  cpSync(join(import.meta.dirname, 'files'), home, { recursive: true });
}

/** Reads a line as a shell does. @returns `undefined` if it is another program's. */
export function parseLine(line: string): Command | undefined {
  const words: readonly string[] = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  const start = words.indexOf('innctl');
  const assignments = words.slice(0, start).map((word) => /^(\w+)=(.*)$/.exec(word));
  if (start === -1 || assignments.includes(null)) return undefined;
  const rest = words.slice(start + 1);
  const end = rest.findIndex((word) => /^(?:[|<>&#;]|2>)/.test(word));
  const own = end === -1 ? rest : rest.slice(0, end);
  return {
    env: Object.fromEntries(assignments.map((found) => [found?.[1], found?.[2]])),
    argv: own.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single)),
    target: /^> ([\w.-]+)$/.exec(rest.slice(end).join(' '))?.[1],
  };
}

function linesOf(source: string, lines: readonly string[]): readonly Session[] {
  return lines.map((line) => ({
    source,
    lines: [inSandbox(line.startsWith('innctl ') ? line : `innctl ${line}`)],
  }));
}

/** Examples and tests name people of another company than those of the sandbox. */
function inSandbox(line: string): string {
  return line.replaceAll('@example.com', '@aurora.example').replaceAll(/\bb-2\b/g, 'ben@aurora.example');
}

function ownSessions(): readonly Session[] {
  const [, ...paragraphs] = readFileSync(join(import.meta.dirname, 'sessions.txt'), 'utf8').split('\n\n');
  return paragraphs.map((text) => ({ source: 'sessions.txt', lines: text.trim().split('\n') }));
}

/** The sections of the documents, each with its files. */
function paperSections(build: string) {
  const pages = readdirSync(join(build, 'docs')).filter(
    (name) => name.endsWith('.md') && name !== 'reference.md',
  );
  return ['README.md', ...pages.map((name) => join('docs', name))].flatMap((page) =>
    readFileSync(join(build, page), 'utf8')
      .split(/^(?=## )/m)
      .map((text) => {
        const blocks = [...text.matchAll(/^```(\w*)(?: (\S+))?\n(.*?)^```$/gms)];
        const files = blocks.flatMap(([, , name, body]) => (name === undefined ? [] : [[name, body]]));
        return { blocks, files: Object.fromEntries(files) as Readonly<Record<string, string>> };
      }),
  );
}

/** The sessions of a section follow each other in one home; a line of a script stands alone. */
function sessionsOfSection({ blocks, files }: ReturnType<typeof paperSections>[number]): readonly Session[] {
  const bodies = (kind: string) => blocks.flatMap(([, each, , body = '']) => (each === kind ? [body] : []));
  const typed = bodies('console').flatMap((body) =>
    [...body.matchAll(/^\$ (.*)$/gm)].map(([, line = '']) => line),
  );
  const scripts = bodies('sh').flatMap((body) => body.replaceAll(/\\\n\s*/g, '').split('\n'));
  const single = scripts.filter((line) => line.includes('innctl ') && parseLine(line) !== undefined);
  return [
    ...(typed.length === 0 ? [] : [{ source: 'docs', lines: typed, files }]),
    ...single.map((line) => ({ source: 'docs', lines: [inSandbox(line)], files })),
  ];
}

interface Described {
  readonly command: string;
  readonly examples: readonly string[];
}

function described(build: string): readonly Described[] {
  const printed = execFileSync(process.execPath, [join(build, 'bin/innctl.js'), 'commands', '--json'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  // What this project prints.
  return (JSON.parse(printed) as { items: readonly Described[] }).items;
}

/** The help page of each command, group and topic, and their examples. */
function helpLines(build: string): readonly string[] {
  const commands = described(build);
  const groups = new Set(
    commands.flatMap(({ command }) => (/ /.test(command) ? [command.split(' ')[0]] : [])),
  );
  const reference = readFileSync(join(build, 'docs/reference.md'), 'utf8');
  const topics = new Set([...reference.matchAll(/\(#innctl-help-([\w-]+)\)/g)].map(([, topic]) => topic));
  return [
    ...['--help', 'help flags', ...[...topics].map((topic) => `help ${topic}`)],
    ...[...groups, ...commands.map(({ command }) => command)].map((words) => `${words} --help`),
    ...commands.flatMap(({ examples }) => examples),
  ];
}

async function referenceLines(build: string): Promise<readonly string[]> {
  const path = join(build, 'test/reference/lines.ts');
  if (!existsSync(path)) return [];
  const tables: Readonly<Record<string, unknown>> = await import(path);
  return ['serviceLines', 'machineLines'].flatMap((name) =>
    Object.entries(tables[name] ?? {}).map(([command, rest]) => `${command} ${rest}`.trim()),
  );
}

/** The texts in the tests that are a whole command line or the argument of `cli`, and the lists of words for it. */
function testLines(build: string): readonly string[] {
  const paths = described(build).map(({ command }) => command);
  const isLine = (text: string) => {
    const words = text.replace(/^(?:innctl )?(?:--\w+ )*/, '');
    return paths.some((path) => `${words} `.startsWith(`${path} `));
  };
  const quoted =
    /(?:(?<title>(?:\b(?:test|describe)|\))\()|(?<call>\b(?:cli|innctl)\())?\s*(?<quote>['"`])(?<text>(?:(?!\k<quote>)[^\\\n]|\\['"`])*)\k<quote>/g;
  const list = /\b(?:cli|innctl)\(\[((?:\s*'[^'\\]*',?)*)\s*\]/g;
  const files = readdirSync(join(build, 'test'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .map((name) => readFileSync(join(build, 'test', name), 'utf8'))
    .flatMap((code) => {
      const texts = [...code.matchAll(quoted)].flatMap(({ groups = {} }) => {
        const text = groups['text']?.replaceAll(/\\(.)/g, '$1') ?? '';
        const isOne = groups['title'] === undefined && (groups['call'] !== undefined || isLine(text));
        return isOne && !/\$\{|%[sdj]/.test(text) && text !== '' ? [text] : [];
      });
      return [
        ...texts,
        ...[...code.matchAll(list)].map(([, words = '']) => words.replaceAll(/,\s*/g, ' ').trim()),
      ];
    });
}
