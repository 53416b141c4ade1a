import { afterAll, beforeAll, expect, test } from 'vitest';
import { apaleo } from '../../src/service/apaleo.ts';
import { type OperationId, operations } from '../../src/service/operations.ts';
import type { Result } from '../helpers/cli.ts';
import { type Prism, startMock } from './prism.ts';
import { openDescriptions, operationOf } from './prism-documents.ts';
import { beyondMock, lines } from './prism-lines.ts';

let prism: Prism;

beforeAll(async () => {
  prism = await startMock();
}, 400_000);

afterAll(() => prism[Symbol.asyncDispose]());

/** The exit codes of a read and a write for each status, and the reason in the message. */
const outcomes: Readonly<Record<string, readonly [read: number, write: number, reason: string]>> = {
  400: [1, 1, 'the answer gives no reason'],
  401: [4, 4, 'the answer gives no reason'],
  403: [5, 5, 'the answer gives no reason'],
  404: [3, 3, 'nothing was found there'],
  415: [6, 6, 'the answer gives no reason'],
  // The message in the example of the document.
  422: [6, 6, 'string'],
  499: [1, 1, 'the answer gives no reason'],
  500: [1, 8, 'the answer gives no reason'],
  503: [7, 8, 'the answer gives no reason'],
};

const withdrawn = {
  exitCode: 0,
  stdout: '',
  stderr: 'There is no invitation to lea@example.com now: confirmed.\n',
};

/** A status that is not a failure, and unknown outcomes that are settled with the list of invitations. */
const known: Readonly<Record<string, Result>> = {
  'propertyExists 404': { exitCode: 3, stdout: 'There is no property MUC.\n', stderr: '' },
  'unitGroupExists 404': { exitCode: 3, stdout: 'There is no unit group MUC-DBL.\n', stderr: '' },
  'unitExists 404': { exitCode: 3, stdout: 'There is no unit MUC-XYZ.\n', stderr: '' },
  'unitAttributeExists 404': { exitCode: 3, stdout: 'There is no unit attribute QUIET.\n', stderr: '' },
  'deleteInvitation 500': withdrawn,
  'deleteInvitation 503': withdrawn,
};

const described = openDescriptions().flatMap((each) => each.operations);

// The keys of the table are the ids.
const ids = (Object.keys(lines) as OperationId[]).filter((id) => !beyondMock.has(id));

/** Each operation of the documents with a command for it. */
const rows = ids.map((id) => {
  const line = lines[id];
  const to = operationOf(described, operations[id].method, apaleo.path(id));
  if (to === undefined) throw new Error(`no document has ${id}`);
  return { id, line, to };
});

/** Every documented failure of the operations. */
const failures = rows.flatMap((row) =>
  Object.keys(row.to.responses).flatMap((status) => (status.startsWith('2') ? [] : [{ ...row, status }])),
);

test('each operation has documented failures', () => {
  expect(failures.length).toBeGreaterThan(100);
  expect(new Set(failures.map(({ id }) => id)).size).toBe(ids.length);
});

test.each(failures)('$id: $status', async ({ id, line, to, status }) => {
  const before = prism.judged.length;

  const result = await prism.innctl(line, { answer: { to, status: Number(status) } });

  const [read, write, reason] = outcomes[status] ?? [];
  const { safety, does } = operations[id];
  const requests = prism.judged.slice(before);
  expect(requests.map((request) => request.status)).toContain(Number(status));
  expect(requests.flatMap(({ violations }) => violations)).toEqual([]);
  expect(result).toEqual(
    known[`${id} ${status}`] ?? {
      exitCode: safety === 'read' ? read : write,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(`^error: Could not ${does}: ${reason} \\(${status} from 127\\.0\\.0\\.1:\\d+\\)\\.`),
      ),
    },
  );
});

test.each(rows.filter(({ id }) => id === 'listUsers' || id === 'listProperties'))(
  '$line shows an empty list for 204',
  async ({ line, to }) => {
    const answer = { to, status: 204 };
    expect(await prism.innctl(line, { answer })).toEqual({ exitCode: 0, stdout: '', stderr: '' });

    const { stdout } = await prism.innctl(`${line} --json`, { answer });

    expect(JSON.parse(stdout)).toEqual({ count: 0, items: [] });
  },
);
