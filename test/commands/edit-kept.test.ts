import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Prompter } from '../../src/cli/ports.ts';
import { type Desk, editing, openDesk, replacing, UUID } from './edit-harness.ts';

const EDIT = '--sandbox properties edit BER';
const NAME = `property-BER-${UUID}.yaml`;

const pathAt = ({ folder }: Desk) => join(folder, 'state', 'edits', NAME);
const resumeCommand = (desk: Desk, line = EDIT) => `innctl ${line} --file ${pathAt(desk)}`;
const renamed = replacing(['de: Grandhotel Berlin', 'de: Grandhotel am Markt']);
const same = (text: string) => text;

/** A desk with a text kept after missing consent. */
async function deskWithText(): Promise<Desk> {
  const desk = await openDesk();
  await desk.innctl(EDIT, { editor: editing(renamed) });
  return desk;
}

describe('a kept text', () => {
  test('is opened unchanged, and sent', async () => {
    await using desk = await deskWithText();
    const left = readFileSync(pathAt(desk), 'utf8');
    const texts: string[] = [];
    const editor = editing((text) => {
      texts.push(text);
      return replacing(['am Markt', 'am Gendarmenmarkt'])(text);
    });

    const { exitCode, stderr } = await desk.innctl(`${EDIT} --file ${pathAt(desk)} --yes`, { editor });

    expect({ exitCode, texts, isDone: stderr.endsWith('Updated property BER: confirmed.\n') }).toEqual({
      exitCode: 0,
      texts: [left],
      isDone: true,
    });
    expect(await desk.stored('properties', 'BER')).toMatchObject({
      name: { de: 'Grandhotel am Gendarmenmarkt' },
    });
    expect(await desk.kept()).toEqual([]);
  });

  test('is kept and reported again until it is sent', async () => {
    await using desk = await deskWithText();

    const { exitCode, stderr } = await desk.innctl(`${EDIT} --file ${pathAt(desk)}`, {
      editor: editing(same),
    });

    expect({
      exitCode,
      isReported: stderr.endsWith(`Your text is kept; to continue: ${resumeCommand(desk)}\n`),
      kept: await desk.kept(),
    }).toEqual({ exitCode: 11, isReported: true, kept: [NAME] });
  });

  test('is compared with the current record, which is read again before the update is sent', async () => {
    await using desk = await deskWithText();
    const editor = editing(async (text) => {
      await desk.innctl('--sandbox properties update BER --tax-id DE1');
      return text;
    });

    const { exitCode, stderr } = await desk.innctl(`${EDIT} --file ${pathAt(desk)} --yes`, { editor });

    expect({ exitCode, isReported: stderr.includes('BER meanwhile (tax_id); nothing was sent.') }).toEqual({
      exitCode: 6,
      isReported: true,
    });
  });

  test('of a user is reported with the command that continues', async () => {
    await using desk = await openDesk();
    const line = '--sandbox users edit ben@aurora.example';
    const edit = replacing(['last_name: Schuster', 'last_name: Novak']);

    const { stderr } = await desk.innctl(line, { editor: editing(edit) });
    const [kept = ''] = await desk.kept();
    const path = join(desk.folder, 'state', 'edits', kept);
    const again = await desk.innctl(`${line} --file ${path} --yes`, { editor: editing(same) });

    expect({
      isReported: stderr.endsWith(`to continue: innctl ${line} --file ${path}\n`),
      exitCode: again.exitCode,
      user: await desk.stored('users', 'ben@aurora.example'),
      kept: await desk.kept(),
    }).toMatchObject({ isReported: true, exitCode: 0, user: { last_name: 'Novak' }, kept: [] });
  });

  test('in a dry run is reported without a warning', async () => {
    await using desk = await openDesk();

    const { exitCode, stderr } = await desk.innctl(`${EDIT} -n --json`, { editor: editing(renamed) });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `Your text is kept; to continue: ${resumeCommand(desk)}\n`,
    });
  });

  test('keeps --no-validate in the command that continues', async () => {
    await using desk = await openDesk();

    const { stderr } = await desk.innctl(`${EDIT} --no-validate -n --json`, { editor: editing(renamed) });

    expect(stderr).toBe(`Your text is kept; to continue: ${resumeCommand(desk, `${EDIT} --no-validate`)}\n`);
  });
});

test('a file given by --file is edited in place, and kept after it is sent', async () => {
  await using desk = await deskWithText();
  const own = join(desk.folder, "Ana's hotel.yaml");
  writeFileSync(own, readFileSync(pathAt(desk)));

  const { exitCode } = await desk.innctl(['--sandbox', 'properties', 'edit', 'BER', '--file', own, '--yes'], {
    editor: editing(replacing(['am Markt', 'am Dom'])),
  });

  expect({ exitCode, hasEdit: readFileSync(own, 'utf8').includes('de: Grandhotel am Dom') }).toEqual({
    exitCode: 0,
    hasEdit: true,
  });
  expect(await desk.stored('properties', 'BER')).toMatchObject({ name: { de: 'Grandhotel am Dom' } });
});

describe('a file that is not text', () => {
  test.each<[string, (path: string) => void, string]>([
    ['is missing', () => {}, 'there is no such file (ENOENT).'],
    ['is a folder', (path) => mkdirSync(path), 'is not a file.'],
    ['is a named pipe', (path) => execFileSync('mkfifo', [path]), 'is not a file.'],
    [
      'is huge',
      (path) => {
        writeFileSync(path, '');
        truncateSync(path, 2 ** 33);
      },
      'is larger than 16 MiB.',
    ],
    ['is binary', (path) => writeFileSync(path, 'name\0'), 'has NUL bytes: it is not a text file.'],
    ['is a dangling link', (path) => symlinkSync('nowhere', path), 'there is no such file (ENOENT).'],
    ['is a link to itself', (path) => symlinkSync(path, path), 'its path is a circle of links (ELOOP).'],
  ])('because it %s is rejected before the editor opens', async (_why, make, says) => {
    await using desk = await openDesk();
    const path = join(desk.folder, 'hotel.yaml');
    make(path);

    const { exitCode, stderr } = await desk.innctl(`${EDIT} --file ${path}`, { editor: editing() });

    expect({ exitCode, isReported: stderr.includes(path) && stderr.endsWith(`${says}\n`) }).toEqual({
      exitCode: 2,
      isReported: true,
    });
  });

  test('because it has no name is rejected', async () => {
    await using desk = await openDesk();

    const { exitCode } = await desk.innctl(['--sandbox', 'properties', 'edit', 'BER', '--file', ''], {
      editor: editing(),
    });

    expect(exitCode).toBe(2);
  });
});

test.each<[string, (path: string) => void]>([
  ['a named pipe', (path) => execFileSync('mkfifo', [path])],
  ['an empty folder', (path) => mkdirSync(path)],
  ['a link', (path) => symlinkSync('/dev/null', path)],
  ['nothing', () => {}],
])('%s left by the editor in place of the file is not kept', async (_what, make) => {
  await using desk = await openDesk();
  const editor = async (_command: string, file: string) => {
    rmSync(file);
    make(file);
    return 0;
  };

  const { exitCode, stderr } = await desk.innctl(`${EDIT} --yes`, { editor });

  expect({ isFailed: exitCode !== 0, isClaimed: stderr.includes('kept') }).toEqual({
    isFailed: true,
    isClaimed: false,
  });
  expect(await desk.kept()).toEqual([]);
});

test('a non-empty folder left by the editor in place of the file is not removed', async () => {
  await using desk = await openDesk();
  const editor = async (_command: string, file: string) => {
    rmSync(file);
    mkdirSync(join(file, 'notes'), { recursive: true });
    return 0;
  };

  const { exitCode, stderr } = await desk.innctl(`${EDIT} --yes`, { editor });

  expect({ exitCode, stderr, isThere: existsSync(join(pathAt(desk), 'notes')) }).toEqual({
    exitCode: 2,
    stderr: `error: ${pathAt(desk)} is not a file.\n`,
    isThere: true,
  });
});

test('a text that cannot be removed does not fail the update', async () => {
  await using desk = await openDesk();
  const path = pathAt(desk);
  const prompter: Prompter = {
    ...noPrompter,
    confirm: async () => {
      rmSync(path);
      mkdirSync(path);
      return true;
    },
  };

  const { exitCode, stderr } = await desk.innctl(EDIT, { editor: editing(renamed), answers: [], prompter });

  expect({ exitCode, end: stderr.trimEnd().split('\n').slice(-2) }).toEqual({
    exitCode: 0,
    end: [
      'Updated property BER: confirmed.',
      expect.stringContaining(`Could not remove ${path}, which is no longer needed: `),
    ],
  });
  expect(await desk.stored('properties', 'BER')).toMatchObject({ name: { de: 'Grandhotel am Markt' } });
});

/** A prompter that fails on every prompt. */
const noPrompter: Prompter = {
  text: failOnPrompt,
  secret: failOnPrompt,
  confirm: failOnPrompt,
  choose: failOnPrompt,
  chooseSeveral: failOnPrompt,
};

async function failOnPrompt(): Promise<never> {
  throw new Error('somebody was asked');
}
