import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { keys } from '../helpers/terminal.ts';
import { binary, type Home, openHome, root } from './home.ts';
import { openScreen } from './screen.ts';

/**
 * The documents with sessions in the sandbox; `vitest run --project bin test/bin/papers.test.ts -u` writes what the lines print.
 *
 * - A block `console` is a session at a terminal of 80 columns: lines after `$`, each with what it prints. The sessions of a
 *   section of the document follow each other in one home.
 * - A block with a file name after its language is a file that the lines read.
 * - A comment `<!-- types: E-mail → mia@example.com⏎ -->` before a session says what is typed when the screen shows a text.
 */
const papers = [
  'README.md',
  'docs/jobs.md',
  'docs/login.md',
  'docs/bulk.md',
  'docs/scripting.md',
  'docs/configuration.md',
  'docs/coming-from.md',
];

interface Session {
  /** What is typed when the screen shows a text; empty if nothing is asked. */
  readonly typed: readonly (readonly [shown: string, text: string])[];
  readonly lines: readonly { readonly line: string; readonly shown: string }[];
}

/** A step of a CI job. */
interface Step {
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Block {
  readonly file: string | undefined;
  readonly text: string;
  /** `undefined` if it is no session. */
  readonly session: Session | undefined;
}

const fence = /(?:<!-- types: (.*?) -->\n)?^```(\w*)(?: (\S+))?\n(.*?)^```$/gms;

function blockOf([, typed, language, file, text = '']: readonly (string | undefined)[]): Block {
  if (language !== 'console') return { file, text, session: undefined };
  const lines = text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => ({ line: part.slice(0, part.indexOf('\n')), shown: part.slice(part.indexOf('\n') + 1) }));
  return { file, text, session: { typed: (typed ?? '').split(' | ').flatMap(stepOf), lines } };
}

function stepOf(step: string): readonly (readonly [string, string])[] {
  const [shown, text] = step.split(' → ');
  if (shown === undefined || text === undefined) return [];
  return [[shown, text.replaceAll('⏎', keys.enter).replaceAll('␣', keys.space).replaceAll('↓', keys.down)]];
}

/** The sections of a document, each with the sessions in it. */
async function sectionsOf(paper: string) {
  const text = await readFile(join(root, paper), 'utf8');
  return text.split(/^(?=## )/m).map((part) => ({
    part,
    title: `${paper}, ${/^#+ (.*)/.exec(part)?.[1]}`,
    blocks: [...part.matchAll(fence)].map(blockOf),
  }));
}

/** A home in which the shell finds innctl, as after an installation. */
async function openInstalled(): Promise<Home> {
  const home = await openHome();
  const bin = join(home.folder, '.bin');
  await mkdir(bin);
  await writeFile(join(bin, 'innctl'), `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n`);
  await chmod(join(bin, 'innctl'), 0o755);
  return home;
}

function pathIn(home: Home) {
  return { PATH: `${join(home.folder, '.bin')}:${home.env['PATH']}` };
}

/** A line that takes longer asks for something. */
const LIMIT_MS = 30_000;

/** @returns what the line prints at a terminal. */
async function typeLine(home: Home, line: string, typed: Session['typed']): Promise<string> {
  using screen = openScreen(home, [], { env: pathIn(home), through: ['bash', '-c', line] });
  const use = async () => {
    for (const [shown, text] of typed) {
      await screen.shows(shown);
      screen.types(text);
    }
    return screen.leaves();
  };
  const end = await Promise.race([use(), pause(LIMIT_MS, undefined, { ref: false })]);
  if (end === undefined) throw new Error(`It still waits: ${line}\n${screen.text()}`);
  return steady(screen.copied(), home).replace(/^\n$/, '');
}

/** An id that is none of the sandbox, whose subject ids are fixed. */
const randomId = /\b(?!6f1c2a4e-)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g;

/** Replaces what differs from run to run. */
function steady(text: string, home: Home): string {
  return text
    .replaceAll(home.folder, '~')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:50000')
    .replaceAll(randomId, '4f1c6a2e-8d37-4b0e-9a55-2f6c1d7e8b90');
}

async function writeFiles(home: Home, blocks: readonly Block[]): Promise<void> {
  for (const { file, text } of blocks) if (file !== undefined) await writeFile(join(home.folder, file), text);
}

/** A section with what its lines print now. */
async function replayed(section: Awaited<ReturnType<typeof sectionsOf>>[number]): Promise<string> {
  await using home = await openInstalled();
  await writeFiles(home, section.blocks);
  const printed: string[] = [];
  for (const { session, text } of section.blocks) {
    if (session === undefined) printed.push(text);
    else {
      let shown = '';
      for (const { line } of session.lines)
        shown += `$ ${line}\n${await typeLine(home, line, session.typed)}`;
      printed.push(shown);
    }
  }
  return section.part.replaceAll(fence, (block: string) => {
    const body = printed.shift() ?? '';
    const start = block.indexOf('\n', block.indexOf('```')) + 1;
    return `${block.slice(0, start)}${body}\`\`\``;
  });
}

test.each(papers)(
  '%s shows what its lines print at a terminal of 80 columns',
  async (paper) => {
    const sections = await sectionsOf(paper);

    const parts = [];
    for (const section of sections) parts.push(await replayed(section));

    await expect(parts.join('')).toMatchFileSnapshot(join(root, paper));
  },
  300_000,
);

const sections = (await Promise.all(papers.map(sectionsOf))).flat();

test.each(sections.filter(({ blocks }) => blocks.some(({ session }) => session)))(
  'off a terminal the lines do the same, or name what is missing: $title',
  async ({ blocks }) => {
    await using home = await openInstalled();
    await writeFiles(home, blocks);

    for (const { session } of blocks)
      for (const { line, shown } of session?.lines ?? []) {
        const { exitCode, stdout } = await home.run(['bash', '-c', line], { env: pathIn(home) });
        // A check that finds something has done its work.
        const isDone = exitCode === 0 || exitCode === 10;
        const missing = steady(stdout, home)
          .split('\n')
          .filter((row) => !isShown(row, shown));
        // What a terminal asks for is missing.
        const wanted = !/^(?:error: |\{"error":)/m.test(shown) && session?.typed.length === 0;
        expect({ line, isDone, missing }).toEqual({ line, isDone: wanted, missing: [] });
      }
  },
);

/**
 * Whether one row of the terminal, or one line with those indented below it, shows the row: whom or what it is about, and another of its
 * cells if it has one (the terminal leaves out columns, and says yes and no). Rows of a run that are done, and of a plan that are unchanged,
 * are only counted, and so are units that are created.
 */
function isShown(row: string, shown: string): boolean {
  const cells = row
    .replaceAll(/\ttrue(?=\t|$)/g, '\tyes')
    .replaceAll(/\tfalse(?=\t|$)/g, '\tno')
    .split('\t')
    .filter((cell) => cell !== '');
  if (cells.length === 0) return true;
  if (cells[0] === 'done' || cells[0] === 'same')
    return /\b\d+ (?:created|changed|deleted|unchanged)\b/.test(shown);
  if (cells[1] === 'unit') return /\d+ units? to create/.test(shown);
  const name = ['@', '[A-Z0-9]', ''].flatMap((part) => cells.filter((cell) => cell.match(part)))[0] ?? '';
  const words = (text: string) => text.split(/[\s:;,│]+/).filter((word) => word !== '');
  return shown.split(/\n(?! )/).some((line) => {
    const own = new Set(words(line));
    const found = cells.filter((cell) => words(cell).every((word) => own.has(word)));
    return found.includes(name) && found.length >= Math.min(2, cells.length);
  });
}

const scripts = sections.flatMap(({ part, blocks }) =>
  [...part.matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, script = '']) => ({ script, blocks }))
    .filter(({ script }) => script.includes('innctl --sandbox')),
);

test.each(scripts)('every line of a script for the sandbox works: $script', async ({ script, blocks }) => {
  await using home = await openInstalled();
  await writeFiles(home, blocks);

  expect(await home.run(['bash', '-ec', script], { env: pathIn(home) })).toMatchObject({ exitCode: 0 });
});

test('the CI job of README.md seeds a hotel with its units in the sandbox, as it is typed', async () => {
  await using home = await openInstalled();
  const section = (await sectionsOf('README.md')).find(({ title }) => title === 'README.md, CI');
  await writeFiles(home, section?.blocks ?? []);
  const job = section?.blocks.find(({ text }) => text.startsWith('steps:'));
  const { steps } = parse(job?.text ?? '');
  const rehearsals = (steps as readonly Step[]).filter(({ run }) => run.includes('--sandbox'));
  const env = { ...pathIn(home), ...rehearsals[0]?.env };
  const type = (line: string) => home.run(['bash', '-ec', line], { env });

  const seeded = [];
  for (const { run } of [...rehearsals, ...rehearsals]) seeded.push((await type(run)).stderr);
  const { stdout } = await type('innctl --sandbox units count --property HAM --json');

  expect(rehearsals).toHaveLength(1);
  expect(seeded.map((text) => text.trimEnd().split('\n').at(-1))).toEqual([
    'Applied: 30 created.',
    expect.stringMatching(/^There is nothing to do: 30 unchanged/),
  ]);
  expect(JSON.parse(stdout)).toEqual({ count: 28 });
});

test('README.md has at most 180 lines', async () => {
  const lines = (await readFile(join(root, 'README.md'), 'utf8')).trimEnd().split('\n');

  expect(lines.length).toBeLessThanOrEqual(180);
});

test('every link of the documents leads to a file, and to a heading in it', async () => {
  const names = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'];
  const pages = [
    ...names,
    ...['jobs', 'login', 'bulk', 'scripting', 'configuration', 'manifest', 'operations', 'decisions'].map(
      (name) => `docs/${name}.md`,
    ),
  ];
  const broken: string[] = [];
  for (const page of pages) {
    const text = (await readFile(join(root, page), 'utf8')).replaceAll(/^```.*?^```$/gms, '');
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g))
      if (!(await leads(page, target))) broken.push(`${page}: ${target}`);
  }

  expect(broken).toEqual([]);
});

async function leads(page: string, target: string): Promise<boolean> {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? join(root, page) : join(root, page, '..', path);
  if (anchor === undefined)
    return readFile(file).then(
      () => true,
      (error) => error.code === 'EISDIR',
    );
  const text = await readFile(file, 'utf8').catch(() => '');
  const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\d _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return anchors.includes(anchor);
}
