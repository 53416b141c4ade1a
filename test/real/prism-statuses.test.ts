import { afterAll, beforeAll, expect, test } from 'vitest';
import { apaleo } from '../../src/api/dialects/apaleo.ts';
import { type OperationId, operations } from '../../src/api/operations.ts';
import { type Prism, startMock } from './prism.ts';
import { openDescriptions, operationOf } from './prism-documents.ts';
import { lines } from './prism-lines.ts';

let prism: Prism;

beforeAll(async () => {
  prism = await startMock();
}, 400_000);

afterAll(() => prism[Symbol.asyncDispose]());

/** How a read and a write end when the service answers so, and what is told of it. */
const endings: Readonly<Record<string, readonly [read: number, write: number, reason: string]>> = {
  400: [1, 1, 'the answer gives no reason'],
  401: [4, 4, 'the answer gives no reason'],
  403: [5, 5, 'the answer gives no reason'],
  404: [3, 3, 'nothing was found there'],
  415: [6, 6, 'the answer gives no reason'],
  // The text of the example.
  422: [6, 6, 'string'],
  499: [1, 1, 'the answer gives no reason'],
  500: [1, 8, 'the answer gives no reason'],
  503: [7, 8, 'the answer gives no reason'],
};

const described = openDescriptions().flatMap((each) => each.operations);

/** Every failure that the documents describe for an operation. */
const failures = Object.entries(lines).flatMap(([name, line]) => {
  // The keys of the table are the ids.
  const id = name as OperationId;
  const responses = operationOf(described, operations[id].method, apaleo.path(id))?.responses ?? {};
  return Object.keys(responses).flatMap((status) => (status.startsWith('2') ? [] : [{ id, line, status }]));
});

test('each operation describes its failures', () => {
  expect(failures.length).toBeGreaterThan(100);
  expect(new Set(failures.map(({ id }) => id)).size).toBe(Object.keys(operations).length);
});

test.each(failures)('$id: $status', async ({ id, line, status }) => {
  const before = prism.judged.length;

  const result = await prism.innctl(line, { status: Number(status) });

  const [read, write, reason] = endings[status] ?? [];
  const { safety, does } = operations[id];
  const requests = prism.judged.slice(before);
  expect(requests[0]?.status).toBe(Number(status));
  expect(requests.flatMap(({ violations }) => violations)).toEqual([]);
  if (id === 'propertyExists' && status === '404') {
    expect(result).toEqual({ exitCode: 3, stdout: 'There is no property MUC.\n', stderr: '' });
    return;
  }
  expect(result).toEqual({
    exitCode: safety === 'read' ? read : write,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^error: Could not ${does}: ${reason} \\(${status} from 127\\.0\\.0\\.1:\\d+\\)\\.`),
    ),
  });
});

test.each(['users list', 'properties list'])('%s is empty where there is no content', async (line) => {
  expect(await prism.innctl(line, { status: 204 })).toEqual({ exitCode: 0, stdout: '', stderr: '' });

  const { stdout } = await prism.innctl(`${line} --json`, { status: 204 });

  expect(JSON.parse(stdout)).toEqual({ count: 0, items: [] });
});
