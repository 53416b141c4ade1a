import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EvidenceJob, EvidenceSubject } from '../../src/people/evidence.ts';
import { checkEvidenceFolder, openEvidence, verifyEvidence } from '../../src/people/evidence-folder.ts';
import type { SentWrite } from '../../src/service/exchange.ts';

const job: EvidenceJob = {
  job: 'people offboard',
  run: 'run-1',
  service: {
    identity_url: 'https://identity',
    base_url: 'https://api',
    account: 'AURORA',
    dialect: 'contract',
  },
  actor: 'ana@example.com',
  reason: 'left',
};

const options = {
  uid: process.geteuid?.(),
  now: Date.now,
  signal: new AbortController().signal,
  clean: String,
};

const hanna: EvidenceSubject = {
  email: 'Hanna@example.com',
  subject_id: 'u-1',
  before: { enabled: true },
  planned: ['disable'],
};
const ben: EvidenceSubject = { email: 'ben@example.com', before: { enabled: true }, planned: [] };
const paul: EvidenceSubject = { email: 'paul@example.com', before: null, planned: [] };
const ending = { after: { enabled: false }, verdicts: [], cannot_tell: [] };

async function openFolder() {
  const above = await mkdtemp(join(tmpdir(), 'innctl-evidence-'));
  return {
    folder: join(above, 'evidence'),
    [Symbol.asyncDispose]: () => rm(above, { recursive: true, force: true }),
  };
}

/** Evidence about people, in this order. @returns the names of its files. */
async function written(folder: string, people: readonly EvidenceSubject[] = [hanna, ben, paul]) {
  const evidence = await openEvidence(folder, job, options);
  try {
    evidence.begin(people);
    for (const person of people) evidence.finish(person, ending, []);
  } finally {
    evidence.close();
  }
  return verifyEvidence(folder).files;
}

const documentAt = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

describe('a document', () => {
  test('says who did what to whom, with the writes to this person alone', async () => {
    await using place = await openFolder();
    const { folder } = place;
    const write = { at: '2026-11-23T10:00:00.000Z', attempt: 1, status: 204, request_id: 'r-9' };
    const patch: SentWrite = {
      ...write,
      method: 'PATCH',
      path: '/users/u-1',
      ids: ['u-1'],
      body: [{ op: 'replace' }],
    };
    const withdrawal: SentWrite = {
      ...write,
      method: 'DELETE',
      path: '/invitations/hanna@example.com',
      ids: ['hanna@example.com'],
    };
    const invitation: SentWrite = {
      ...write,
      method: 'POST',
      path: '/invitations',
      ids: [],
      body: { email: 'HANNA@example.com' },
    };
    const other: SentWrite = { ...write, method: 'PATCH', path: '/users/u-2', ids: ['u-2'] };
    const evidence = await openEvidence(folder, job, { ...options, now: () => Date.UTC(2026, 10, 23) });

    evidence.begin([hanna]);
    const path = evidence.finish(
      hanna,
      { ...ending, verdicts: [{ what: 'disabled', outcome: 'done' }], cannot_tell: ['tokens live on'] },
      [patch, other, withdrawal, invitation],
    );
    evidence.close();

    const document = await documentAt(path);
    expect(document).toEqual({
      ...job,
      version: 1,
      number: 1,
      previous: null,
      digest: expect.stringMatching(/^[\da-f]{64}$/),
      person: { email: 'Hanna@example.com', subject_id: 'u-1' },
      began: '2026-11-23T00:00:00.000Z',
      ended: '2026-11-23T00:00:00.000Z',
      earlier_starts: [],
      planned: ['disable'],
      before: { enabled: true },
      requests: [patch, withdrawal, invitation].map(({ ids: _, ...request }) => request),
      after: { enabled: false },
      verdicts: [{ what: 'disabled', outcome: 'done' }],
      cannot_tell: ['tokens live on'],
    });
    expect(readdirSync(folder)).toEqual(['000001-people-offboard-hanna@example.com.json', 'chain.json']);
  });

  test('names the digest of the one before, also of an earlier command', async () => {
    await using place = await openFolder();
    const { folder } = place;
    await written(folder, [hanna, ben]);
    const files = await written(folder, [hanna]);

    const documents = await Promise.all(files.map((name) => documentAt(join(folder, name))));

    expect(documents.map(({ number, previous }) => [number, previous])).toEqual([
      [1, null],
      [2, documents[0].digest],
      [3, documents[1].digest],
    ]);
    expect(verifyEvidence(folder)).toEqual({ files, unfinished: [], last: documents[2].digest });
  });

  test('is open to its owner alone, under any umask and in a folder that was open', async () => {
    await using place = await openFolder();
    const { folder } = place;
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const before = process.umask(0);

    const files = await written(folder).finally(() => process.umask(before));

    const modes = [folder, ...[...files, 'chain.json'].map((name) => join(folder, name))].map(
      (path) => lstatSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
  });

  test('masks what the session masks, before its digest is made', async () => {
    await using place = await openFolder();
    const { folder } = place;
    const clean = (text: string) => text.replaceAll('token-of-ana', '(hidden)');
    const evidence = await openEvidence(folder, { ...job, reason: 'token-of-ana' }, { ...options, clean });
    evidence.begin([hanna]);
    const open = readdirSync(folder).map((name) => readFile(join(folder, name), 'utf8').catch(() => ''));
    const path = evidence.finish(hanna, ending, []);
    evidence.close();

    expect((await Promise.all(open)).join('')).not.toContain('token-of-ana');
    expect((await documentAt(path)).reason).toBe('(hidden)');
    expect(verifyEvidence(folder).files).toHaveLength(1);
  });

  test.each([
    ['../../etc/passwd', '000001-people-offboard-..-..-etc-passwd.json'],
    ['=cmd|calc@example.com', '000001-people-offboard--cmd-calc@example.com.json'],
    ['\u202Egpj.ana@example.com', '000001-people-offboard--gpj.ana@example.com.json'],
    ['A'.repeat(500), `000001-people-offboard-${'a'.repeat(84)}.json`],
  ])(
    'about %j has a name that is safe everywhere, and shows nothing hidden on a terminal',
    async (email, name) => {
      await using place = await openFolder();
      const { folder } = place;

      expect(await written(folder, [{ ...ben, email }])).toEqual([name]);

      const text = await readFile(join(folder, name), 'utf8');
      expect(text).not.toContain('\u202E');
      expect(JSON.parse(text).person.email).toBe(email);
    },
  );
});

describe('a folder that was changed is found out', () => {
  const cases: readonly [string, (folder: string, files: readonly string[]) => void, string][] = [
    ['the first document is removed', (at, [first = '']) => rmSync(join(at, first)), 'Document 1 is missing'],
    [
      'one in the middle is removed',
      (at, [, second = '']) => rmSync(join(at, second)),
      'Document 2 is missing',
    ],
    ['the last one is removed', (at, [, , third = '']) => rmSync(join(at, third)), 'Document 3 is missing'],
    [
      'all are removed',
      (at, files) => {
        for (const name of files) rmSync(join(at, name));
      },
      'Document 1 is missing',
    ],
    ['the head is removed', (at) => rmSync(join(at, 'chain.json')), 'chain.json is missing'],
    [
      'two are swapped',
      (at, [first = '', second = '']) => {
        const swap = (name: string) => name.slice(6);
        renameSync(join(at, first), join(at, `000002${swap(first)}`));
        renameSync(join(at, second), join(at, `000001${swap(second)}`));
      },
      '000001-people-offboard-ben@example.com.json is 000002-people-offboard-ben@example.com.json under another name',
    ],
    [
      'a file is added',
      (at) => writeFileSync(join(at, 'notes.txt'), ''),
      'notes.txt is not a part of the chain',
    ],
    [
      'a document with a number of its own is added',
      (at) => writeFileSync(join(at, '000009-x.json'), '{}'),
      '000009-x.json is not a part of the chain',
    ],
    [
      'one is replaced by a link to it',
      (at, [first = '']) => {
        renameSync(join(at, first), join(at, '..', first));
        symlinkSync(join(at, '..', first), join(at, first));
      },
      '000001-people-offboard-hanna@example.com.json is not a file',
    ],
    [
      'the head is put back',
      (at) => writeFileSync(join(at, 'chain.json'), '{"count":0,"last":"x"}'),
      'chain.json names another end of the chain',
    ],
    ['the head is garbage', (at) => writeFileSync(join(at, 'chain.json'), '[]'), 'chain.json was changed'],
  ];

  test.each(cases)('%s', async (_, change, reason) => {
    await using place = await openFolder();
    const { folder } = place;
    const files = await written(folder);

    change(folder, files);

    expect(() => verifyEvidence(folder)).toThrow(reason);
  });

  test('a forged document breaks the chain at the next one', async () => {
    await using place = await openFolder();
    await using other = await openFolder();
    const files = await written(place.folder);
    await written(other.folder, [{ ...hanna, before: { enabled: false } }]);
    renameSync(join(other.folder, files[0] ?? ''), join(place.folder, files[0] ?? ''));

    expect(() => verifyEvidence(place.folder)).toThrow(`${files[1]} does not follow ${files[0]}`);
  });

  test('in any byte of any document', async () => {
    await using place = await openFolder();
    const { folder } = place;
    const files = await written(folder);

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (name, at, by) => {
          const path = join(folder, name);
          const bytes = await readFile(path);
          const changed = Buffer.from(bytes);
          changed[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ by;
          writeFileSync(path, changed);
          try {
            expect(() => verifyEvidence(folder)).toThrow(`${name} was changed after it was written`);
          } finally {
            writeFileSync(path, bytes);
          }
        },
      ),
    );
  });

  test('a changed end takes no further evidence', async () => {
    await using place = await openFolder();
    const { folder } = place;
    const [, , last = ''] = await written(folder);
    writeFileSync(join(folder, last), '{}\n');

    await expect(openEvidence(folder, job, options)).rejects.toMatchObject({
      code: 'evidence_broken',
      exitCode: 6,
    });
  });
});

describe('after a process was killed', () => {
  test('while it worked on a person: the next document tells of that start', async () => {
    await using place = await openFolder();
    const { folder } = place;
    const killed = await openEvidence(folder, job, options);
    killed.begin([hanna, ben]);
    killed.finish(ben, ending, []);
    killed.close();
    const { unfinished } = verifyEvidence(folder);
    const again = { ...hanna, before: { enabled: false }, planned: [] };
    const evidence = await openEvidence(folder, { ...job, run: 'run-2' }, options);
    evidence.begin([again]);

    const path = evidence.finish(again, ending, []);
    evidence.close();

    const { before, planned } = hanna;
    expect(unfinished).toEqual([
      expect.stringMatching(/^open-people-offboard-hanna@example\.com-[\da-f]{12}\.json$/),
    ]);
    expect(await documentAt(path)).toMatchObject({
      run: 'run-2',
      before: { enabled: false },
      earlier_starts: [{ began: expect.any(String), run: 'run-1', before, planned }],
      cannot_tell: [
        expect.stringMatching(/^The job was begun at .* and killed; .*: innctl runs show run-1\.$/),
      ],
    });
    expect(verifyEvidence(folder)).toMatchObject({ files: { length: 2 }, unfinished: [] });
  });

  test('while it worked on somebody who was invited, and is a user now', async () => {
    await using place = await openFolder();
    const { folder } = place;
    const killed = await openEvidence(folder, job, options);
    killed.begin([{ email: hanna.email, before: { user: null }, planned: [] }]);
    killed.close();
    const evidence = await openEvidence(folder, { ...job, run: 'run-2' }, options);
    evidence.begin([hanna]);

    const path = evidence.finish(hanna, ending, []);
    evidence.close();

    expect(await documentAt(path)).toMatchObject({ earlier_starts: [{ run: 'run-1' }] });
    expect(verifyEvidence(folder)).toMatchObject({ files: { length: 1 }, unfinished: [] });
  });

  test('before it wrote the head: the next command catches up', async () => {
    await using place = await openFolder();
    const { folder } = place;
    await written(folder, [ben]);
    const head = await readFile(join(folder, 'chain.json'));
    await written(folder, [hanna]);
    writeFileSync(join(folder, 'chain.json'), head);
    expect(verifyEvidence(folder).files).toHaveLength(2);

    const files = await written(folder, [paul]);

    expect(files).toHaveLength(3);
    expect(await documentAt(join(folder, 'chain.json'))).toMatchObject({ count: 3 });
  });

  test('while it wrote a file: the draft is removed, and is no part of the chain', async () => {
    await using place = await openFolder();
    const { folder } = place;
    await written(folder, [ben]);
    writeFileSync(join(folder, `chain.json.${crypto.randomUUID()}.tmp`), '{');
    expect(verifyEvidence(folder).files).toHaveLength(1);

    await written(folder, [hanna]);

    expect(readdirSync(folder)).toHaveLength(3);
  });
});

describe('no evidence is begun', () => {
  test.each<[string, (folder: string) => void, string]>([
    ['through a link', (at) => symlinkSync(tmpdir(), at), 'is a symbolic link'],
    ['where a file is', (at) => writeFileSync(at, ''), 'is not a folder'],
    [
      'among other files',
      (at) => {
        mkdirSync(at);
        writeFileSync(join(at, 'notes.txt'), '');
      },
      'has other files ("notes.txt")',
    ],
  ])('%s', async (_, make, reason) => {
    await using place = await openFolder();
    const { folder } = place;
    make(folder);

    for (const path of [folder, `${folder}/`]) {
      expect(() => checkEvidenceFolder(path, options.uid)).toThrow(reason);
      await expect(openEvidence(path, job, options)).rejects.toMatchObject({
        code: 'evidence_folder',
        exitCode: 2,
      });
    }
  });

  test('in a folder of another user', async () => {
    await using place = await openFolder();
    const { folder } = place;
    mkdirSync(folder);

    expect(() => checkEvidenceFolder(folder, 4711)).toThrow('belongs to another user');
  });

  test('where the system makes no folder', async () => {
    await expect(openEvidence('/proc/evidence', job, options)).rejects.toMatchObject({
      code: 'evidence_failed',
      hint: 'Once it can be written, run the same command again.',
      message: expect.stringMatching(
        /^Could not keep evidence in \/proc\/evidence: .*\. Nothing was sent\.$/,
      ),
    });
  });

  test('for a person, if that of another one cannot be written', async () => {
    await using place = await openFolder();
    const { folder } = place;
    const evidence = await openEvidence(folder, job, options);
    evidence.begin([paul]);
    const [name = ''] = verifyEvidence(folder).unfinished;
    evidence.close();
    rmSync(join(folder, name));
    mkdirSync(join(folder, name));
    const again = await openEvidence(folder, job, options);

    expect(() => again.begin([hanna, paul])).toThrow('is not a file');
    again.close();

    expect(readdirSync(folder).toSorted()).toEqual(['chain.json', name].toSorted());
  });
});

test('no document is written over a file that another program put there', async () => {
  await using place = await openFolder();
  const { folder } = place;
  const evidence = await openEvidence(folder, job, options);
  evidence.begin([ben]);
  const foreign = join(folder, '000001-people-offboard-ben@example.com.json');
  writeFileSync(foreign, 'mine');

  expect(() => evidence.finish(ben, ending, [])).toThrow('is there already');
  evidence.close();

  expect(await readFile(foreign, 'utf8')).toBe('mine');
});

test('a folder without evidence is not intact', async () => {
  await using place = await openFolder();

  expect(() => verifyEvidence(place.folder)).toThrow('There is no evidence in');
  mkdirSync(place.folder);
  expect(() => verifyEvidence(place.folder)).toThrow('There is no evidence in');
});
