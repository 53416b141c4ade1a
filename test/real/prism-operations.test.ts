import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Prism, startMock } from './prism.ts';
import { openDescriptions } from './prism-documents.ts';
import { lines } from './prism-lines.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'innctl-prism-'));
const descriptions = openDescriptions();
let prism: Prism;

beforeAll(async () => {
  for (const [name, body] of Object.entries(bodies())) {
    writeFileSync(join(folder, name), JSON.stringify(body));
  }
  prism = await startMock();
}, 400_000);

afterAll(async () => {
  await prism[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** One row of docs/operations.md. */
interface Row {
  /** `GET /api/v1/roles` */
  readonly operation: string;
  readonly area: string;
  /** The command line without `innctl`. */
  readonly command: string;
  readonly testedBy: string;
}

const rows = readFileSync(join(root, 'docs/operations.md'), 'utf8')
  .split('\n')
  .flatMap((line): readonly Row[] => {
    const cells = /^\| `(.+?)` \| (\w+) \| `innctl (.+?)` \| (\S+) \|$/.exec(line);
    if (cells === null) return [];
    const [, operation = '', area = '', command = '', testedBy = ''] = cells;
    return [{ operation, area, command, testedBy }];
  });

test('the table lists every operation of both documents exactly once', () => {
  const described = descriptions.flatMap(({ area, operations }) =>
    operations.map(({ method, path }) => ({ operation: `${method} ${path}`, area })),
  );

  expect(described.length).toBeGreaterThan(40);
  expect(rows.map(({ operation, area }) => ({ operation, area }))).toEqual(described);
});

test('every command of the table exists', () => {
  const surface = readFileSync(join(root, 'docs/surface.txt'), 'utf8').split('\n');
  const isKnown = (command: string) => {
    const words = isRaw(command) ? 'api' : command;
    return surface.some((line) => line === `innctl ${words}` || line.startsWith(`innctl ${words} `));
  };

  expect(rows.map(({ command }) => command).filter((command) => !isKnown(command))).toEqual([]);
});

test('every test of the table exists and runs the command', () => {
  const untested = rows.filter(({ command, testedBy }) => {
    const path = join(root, testedBy);
    if (!existsSync(path)) return true;
    const isTyped = new RegExp(`['\`]${command}[ ']`).test(readFileSync(path, 'utf8'));
    return isRaw(command) ? path !== import.meta.filename : !isTyped;
  });

  expect(untested).toEqual([]);
});

test.each(rows)('innctl $command sends $operation', async ({ operation, command }) => {
  const line = isRaw(command) ? command.replace(/(?<=--input )/, `${folder}/`) : typedFor(command);
  const before = prism.judged.length;

  const { exitCode, stderr } = await prism.innctl(line);

  const requests = prism.judged.slice(before);
  const sent = requests.map((each) => `${each.operation?.method} ${each.operation?.path}`);
  expect({ sent, stderr }).toEqual({
    sent: expect.arrayContaining([operation]),
    stderr: expect.any(String),
  });
  expect(requests.flatMap(({ violations }) => violations)).toEqual([]);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
});

function isRaw(command: string): boolean {
  return command.startsWith('api ');
}

/** The command with its required arguments. */
function typedFor(command: string): string {
  const line = Object.values(lines).find((each) => `${each} `.startsWith(`${command} `));
  if (line === undefined) throw new Error(`no command line for ${command}`);
  return line;
}

/** The input files of the table: examples of the documents, and patches. */
function bodies(): Readonly<Record<string, unknown>> {
  const example = (model: string) => {
    const found = descriptions.flatMap(({ definitions }) => definitions[model]?.['example'] ?? []);
    expect(found).toHaveLength(1);
    return found[0];
  };
  return {
    'property.json': example('CreatePropertyModel'),
    'units.json': example('BulkCreateUnitsModel'),
    'unit-group.json': example('ReplaceUnitGroupModel'),
    'name.json': [{ op: 'replace', path: '/name', value: '101' }],
    'description.json': [{ op: 'replace', path: '/description', value: 'With a view' }],
  };
}
