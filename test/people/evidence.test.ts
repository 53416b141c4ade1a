import { hash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  checkEvidenceFolder,
  type EvidenceSubject,
  openEvidence,
  verifyEvidence,
} from '../../src/people/evidence.ts';
import { chainOf, documentsOf, linesOf } from '../helpers/evidence.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const job = { job: 'people offboard', run: 'run-1', actor: 'ana@example.com', reason: 'left' };

const options = {
  uid: process.geteuid?.(),
  now: () => Date.UTC(2026, 10, 23),
  signal: new AbortController().signal,
  clean: String,
};

const time = '2026-11-23T00:00:00.000Z';
const hanna = {
  person: { email: 'Hanna@example.com', subject_id: 'u-1' },
  before: { enabled: true },
  planned: ['disable'],
};
const ben = { person: { email: 'ben@example.com' }, planned: [] };
const paul = { person: { email: 'paul@example.com' }, planned: [] };

let folder = '';

beforeEach(async () => {
  folder = join(await temporaryFolder(), 'evidence');
});

/** Evidence about people, one job. @param ended those whose job ends; default: all. */
async function write(
  folder: string,
  people: readonly EvidenceSubject[] = [hanna, ben, paul],
  ended = people,
) {
  const evidence = await openEvidence(folder, job, people, options);
  for (const person of ended) evidence.finish({ ...person, after: { enabled: false } });
  evidence.close();
}

/** The lines with `change` in place of some of them. */
function edit(folder: string, change: (lines: string[]) => readonly string[]): void {
  const lines = readFileSync(chainOf(folder), 'utf8').split('\n').slice(0, -1);
  writeFileSync(
    chainOf(folder),
    change(lines)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

/** A line with a digest that fits. */
function sealed(text: string): string {
  return `{"digest":"${hash('sha256', text, 'hex')}",${text.slice(1)}`;
}

describe('a chain', () => {
  test('has a head, a line before each job, and a line for each person', async () => {
    await write(folder, [hanna]);
    await write(folder, [ben]);

    const [head, ...lines] = (await linesOf(folder)).map((line) => JSON.parse(line));

    const digests = lines.map(({ digest }) => digest);
    const chained = (index: number) => ({
      version: 1,
      digest: expect.stringMatching(/^[\da-f]{64}$/),
      previous: digests[index - 1] ?? null,
      ...job,
      began: time,
    });
    const after = { enabled: false };
    expect(head).toEqual({ version: 1, count: 4, last: digests[3] });
    expect(lines).toEqual([
      { ...chained(0), begins: [hanna] },
      { ...chained(1), ...hanna, after, ended: time },
      { ...chained(2), begins: [ben] },
      { ...chained(3), ...ben, after, ended: time },
    ]);
    expect(verifyEvidence(folder)).toMatchObject({ documents: 2, open: new Map(), head: { count: 4 } });
  });

  test('has digests of its lines without their digests, as sha256sum makes them', async () => {
    await write(folder);

    for (const line of (await linesOf(folder)).slice(1))
      expect(hash('sha256', line.replace(/"digest":"[\da-f]+",/, ''), 'hex')).toBe(JSON.parse(line).digest);
  });

  test('has what is known before a job on the disk before the job begins', async () => {
    const evidence = await openEvidence(folder, job, [hanna, ben], options);

    const start = { line: 2, job: job.job, began: time, run: 'run-1' };
    expect([...verifyEvidence(folder).open.values()]).toEqual([
      [{ ...start, name: 'Hanna@example.com', before: { enabled: true }, planned: ['disable'] }],
      [{ ...start, name: 'ben@example.com', planned: [] }],
    ]);
    evidence.close();
  });

  test('is open to its owner alone, under any umask and in a folder that was open', async () => {
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const before = process.umask(0);

    await write(folder).finally(() => process.umask(before));

    expect([folder, chainOf(folder)].map((path) => lstatSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    expect(readdirSync(folder)).toEqual(['evidence.ndjson']);
  });

  test('masks what the session masks, and shows nothing hidden on a terminal', async () => {
    const clean = (text: string) => text.replaceAll('token-of-ana', '(hidden)');
    const email = '\u202Egpj.ana@example.com\u001b[31m';
    const about = { ...job, reason: 'token-of-ana' };

    const evidence = await openEvidence(folder, about, [{ person: { email } }], { ...options, clean });
    evidence.finish({ person: { email } });
    evidence.close();

    const text = (await linesOf(folder)).join('');
    expect(text).not.toMatch(/token-of-ana|\p{Cf}|\p{Cc}/u);
    expect(await documentsOf(folder)).toMatchObject([{ reason: '(hidden)', person: { email } }]);
    expect(verifyEvidence(folder).documents).toBe(1);
  });
});

describe('evidence that was changed is found out, with its line', () => {
  /** Line 1 is the head, line 2 what was known before, lines 3 to 5 are the documents. */
  const cases: readonly [string, (lines: string[]) => readonly string[], string][] = [
    ['the head is removed', (lines) => lines.slice(1), 'line 1 was changed'],
    ['a document is removed', (lines) => lines.toSpliced(2, 1), 'line 3 does not follow the one before'],
    ['the last one is removed', (lines) => lines.slice(0, 4), 'line 5 is missing: line 1 counts 4 after it'],
    ['all are removed', (lines) => lines.slice(0, 1), 'line 2 is missing'],
    ['two are swapped', ([a = '', b = '', c = '', ...d]) => [a, c, b, ...d], 'line 2 does not follow'],
    [
      'one is forged, with a digest that fits',
      (lines) =>
        lines.with(2, sealed((lines[2] ?? '').replace(/"digest":"[\da-f]+",/, '').replace('left', 'ran'))),
      'line 4 does not follow the one before',
    ],
    [
      'the last one is forged',
      (lines) => lines.with(4, sealed('{"previous":null,"job":"x","began":"x"}')),
      'line 5',
    ],
  ];

  test.each(cases)('%s', async (_, change, reason) => {
    await write(folder);

    edit(folder, change);

    expect(() => verifyEvidence(folder)).toThrow(reason);
  });

  const planted: readonly [string, string | Buffer][] = [
    ['50 MiB', `"${'x'.repeat(50 * 1024 * 1024)}"`],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe])],
    ['a duplicate key', '{"job":"x","job":"y"}'],
    ['no evidence, with a digest', sealed('{"previous":null}')],
  ];

  test.each(planted)('a planted line is %s', async (_, line) => {
    await write(folder, [ben]);
    const whole = readFileSync(chainOf(folder));
    const second = whole.indexOf('\n') + 1;

    writeFileSync(
      chainOf(folder),
      Buffer.concat([whole.subarray(0, second), Buffer.from(line), whole.subarray(second - 1)]),
    );
    expect(() => verifyEvidence(folder)).toThrow('line 2');

    writeFileSync(chainOf(folder), whole);
    appendFileSync(chainOf(folder), line);
    appendFileSync(chainOf(folder), '\n');
    expect(() => verifyEvidence(folder)).toThrow('line 4');
  });

  test('in any byte', async () => {
    await write(folder);
    const bytes = readFileSync(chainOf(folder));

    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(bytes);
        changed[at] = (bytes[at] ?? 0) ^ by;
        writeFileSync(chainOf(folder), changed);

        expect(() => verifyEvidence(folder)).toThrow('The evidence is not as it was written: line ');
      }),
    );
  });

  test('cut off at any byte', async () => {
    await write(folder, [ben]);
    const bytes = readFileSync(chainOf(folder));

    fc.assert(
      fc.property(fc.nat(bytes.length - 1), (length) => {
        writeFileSync(chainOf(folder), bytes.subarray(0, length));
        expect(() => verifyEvidence(folder)).toThrow('The evidence is not as it was written: line ');
      }),
    );
  });

  test('a chain that is a link is none', async () => {
    await write(folder);
    renameSync(chainOf(folder), `${folder}.ndjson`);
    symlinkSync(`${folder}.ndjson`, chainOf(folder));

    expect(() => verifyEvidence(folder)).toThrow('evidence.ndjson is not a file');
  });

  test('no evidence is added to it', async () => {
    await write(folder);
    edit(folder, (lines) => lines.toSpliced(2, 1));
    const before = readFileSync(chainOf(folder));

    await expect(write(folder)).rejects.toMatchObject({ code: 'evidence_broken', exitCode: 6 });
    expect(readFileSync(chainOf(folder))).toEqual(before);
  });
});

describe('after a process was killed', () => {
  test('while it worked on a person: the next job knows of that start', async () => {
    await write(folder, [hanna, ben], [ben]);
    expect([...verifyEvidence(folder).open.values()].flat()).toMatchObject([
      { line: 2, name: 'Hanna@example.com' },
    ]);
    const again = { person: { email: 'hanna@EXAMPLE.com' }, planned: [] };

    const evidence = await openEvidence(folder, job, [again], options);
    const earlier = evidence.earlier(again);
    evidence.finish(again);
    evidence.close();

    const { before, planned } = hanna;
    expect(earlier).toMatchObject([{ began: time, run: 'run-1', before, planned }]);
    expect(verifyEvidence(folder)).toMatchObject({ documents: 2, open: new Map() });
  });

  test.each([
    ['before it wrote the head', '\n', 2],
    ['while it wrote a line', '', 1],
  ])('%s: the chain is intact, and the next command goes on with it', async (_, end, documents) => {
    await write(folder, [ben], []);
    const killed = readFileSync(chainOf(folder));
    await write(folder, [ben]);
    const whole = readFileSync(chainOf(folder));
    const cut = end === '' ? whole.length - 20 : whole.length;
    writeFileSync(chainOf(folder), Buffer.concat([killed.subarray(0, 128), whole.subarray(128, cut)]));
    expect(verifyEvidence(folder)).toMatchObject({ documents: documents - 1 });

    await write(folder, [paul]);

    expect(verifyEvidence(folder)).toMatchObject({ documents, open: { size: documents === 2 ? 0 : 1 } });
  });
});

describe('no evidence is begun', () => {
  test.each<[string, (folder: string) => void, string]>([
    ['through a link', (at) => symlinkSync(tmpdir(), at), 'is a link, or not a folder'],
    ['where a file is', (at) => writeFileSync(at, ''), 'is a link, or not a folder'],
    [
      'among other files',
      (at) => {
        mkdirSync(at);
        writeFileSync(join(at, 'notes.txt'), '');
      },
      'has other files ("notes.txt")',
    ],
  ])('%s', async (_, make, reason) => {
    make(folder);

    for (const path of [folder, `${folder}/`]) {
      expect(() => checkEvidenceFolder(path, options.uid)).toThrow(reason);
      await expect(write(path)).rejects.toMatchObject({ code: 'evidence_folder', exitCode: 2 });
    }
  });

  test('in a folder of another user', async () => {
    mkdirSync(folder);

    expect(() => checkEvidenceFolder(folder, 4711)).toThrow('belongs to another user');
  });
});
