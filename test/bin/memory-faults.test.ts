import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { flood } from '../faults/wire-cases.ts';
import { rawServer } from '../helpers/servers.ts';
import { binary, openHome, root } from './home.ts';

/** The most memory that the program may use, whatever the service sends. */
// Newer Node versions start with more, and collect later.
const MOST_MIB = Number(process.versions.node.split('.')[0]) < 22 ? 160 : 300;

const MIB = 1_048_576;
const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const HINT = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
const EMPTY = '{"count":0,"items":[]}';

type Answering = (socket: Socket) => void;

/** Lists properties of a service that answers every request like this, and measures the peak memory. */
async function list(answer: Answering, more: readonly string[], heap = '', noun = 'properties') {
  await using home = await openHome();
  await using server = await rawServer((socket) => socket.on('data', () => answer(socket)));
  const peakFile = join(home.folder, 'peak');
  const { exitCode, stderr } = await home.run([process.execPath, binary, noun, 'list', ...more], {
    env: {
      INNCTL_IDENTITY_URL: server.origin,
      INNCTL_BASE_URL: server.origin,
      INNCTL_TOKEN: 'token-of-ana-1234567890',
      NODE_OPTIONS: `--require ${join(root, 'test/soak/peak.cjs')} ${heap}`,
      PEAK_FILE: peakFile,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const peakMiB = Number(await readFile(peakFile, 'utf8')) / 1_024;
  return { exitCode, code: stderr === '' ? '' : JSON.parse(stderr).error.code, peakMiB };
}

function sized(body: string | Buffer, header = ''): Answering {
  return (socket) => {
    socket.write(`${OK}${header}content-length: ${body.length}\r\n\r\n`);
    socket.write(body);
  };
}

/** Pages without end, all with new ids. */
function endlessPages(length = 500, nameLength = 1_000): Answering {
  let page = 0;
  return (socket) => {
    page += 1;
    const items = Array.from({ length }, (_, at) => ({ id: `H${page}-${at}`, name: 'x'.repeat(nameLength) }));
    sized(JSON.stringify({ count: 1_000_000_000, items }))(socket);
  };
}

test.each<[string, Answering, readonly string[], number, string]>([
  ['an endless body', (s) => flood(s, `${OK}\r\n`, ' '.repeat(9_999)), [], 1, 'too_large'],
  [
    'a body in chunks of one byte',
    (s) => flood(s, `${OK}transfer-encoding: chunked\r\n\r\n`, '1\r\n \r\n'.repeat(2_000)),
    // A fast machine must not reach the limit of 64 MiB first.
    ['--timeout', '4', '--max-body', '64'],
    7,
    'timeout',
  ],
  ['an endless head', (s) => flood(s, OK, 'x-a: b\r\n'.repeat(999)), [], 1, 'malformed'],
  ['10,000 early hints', (s) => sized(EMPTY)(hinting(s, 10_000)), [], 0, ''],
  ['endless early hints', (s) => flood(s, '', HINT.repeat(999)), ['--timeout', '2'], 7, 'timeout'],
  // Some hundred MiB arrive in this time; innctl retains the id of each record.
  ['endless pages', endlessPages(), ['--all', '-o', 'ndjson', '--timeout', '2'], 7, 'timeout'],
  [
    '500 MiB compressed with gzip',
    sized(gzipSync(Buffer.alloc(500 * MIB)), 'content-encoding: gzip\r\n'),
    [],
    1,
    'malformed_answer',
  ],
  ['nested lists, 8 MiB', sized('['.repeat(4 * MIB) + ']'.repeat(4 * MIB)), [], 1, 'malformed_answer'],
  [
    'nested objects, 7 MiB',
    sized(`${'{"a":'.repeat(1.2 * MIB)}1${'}'.repeat(1.2 * MIB)}`),
    [],
    1,
    'malformed_answer',
  ],
  ['a text of 7 MiB', sized(`[{"id":"BER","name":"${'x'.repeat(7 * MIB)}"}]`), ['--fields', 'id'], 0, ''],
])('memory is bounded and the run ends: %s', async (_, answer, more, exitCode, code) => {
  const ended = await list(answer, more.includes('-o') ? more : ['--json', ...more]);

  expect(ended).toEqual({ exitCode, code, peakMiB: expect.any(Number) });
  expect(ended.peakMiB).toBeLessThan(MOST_MIB);
});

/** The same for a list of 60 MiB. */
const MOST_OF_LISTS_MIB = Number(process.versions.node.split('.')[0]) < 22 ? 400 : 550;

/** Of a service that does not page: some 60 MiB. */
function invitations(count: number): string {
  const all = Array.from({ length: count }, (_, at) => ({
    email: `colleague.${at}@hotel-aurora.example.com`,
    isAccountAdmin: at % 50 === 0,
    invitedBy: 'ana.admin@hotel-aurora.example.com',
    created: '2026-05-04T09:30:00Z',
    properties: ['BER', 'MUC'],
    role: 'Housekeeping',
  }));
  return JSON.stringify({ invitations: all });
}

test.each([['-o', 'ndjson'], ['--json'], ['-o', 'tsv'], ['-o', 'table'], ['--quiet']])(
  '300,000 invitations are listed within 400 MiB, by newer Node versions 550: %s %s',
  async (...format) => {
    const ended = await list(sized(invitations(300_000)), [...format, '--max-body', '64'], '', 'invitations');

    expect(ended).toEqual({ exitCode: 0, code: '', peakMiB: expect.any(Number) });
    expect(ended.peakMiB).toBeLessThan(MOST_OF_LISTS_MIB);
  },
);

test.each([
  ['a million records without a field', `[${'{},'.repeat(999_999)}{}]`, 1, 'malformed_answer'],
  ['four million numbers', `[${'0,'.repeat(3_999_999)}0]`, 1, 'malformed_answer'],
])(
  'memory is bounded with values that are much larger than their text: %s',
  async (_, json, exitCode, code) => {
    const ended = await list(sized(json), ['--json']);

    expect(ended).toEqual({ exitCode, code, peakMiB: expect.any(Number) });
    expect(ended.peakMiB).toBeLessThan(MOST_OF_LISTS_MIB + 100);
  },
);

function hinting(socket: Socket, times: number): Socket {
  socket.write(HINT.repeat(times));
  return socket;
}

test.each<[string, readonly string[], string, number, string]>([
  // With more heap, how much of it is used depends on how late this Node collects.
  ['streamed as NDJSON', ['-o', 'ndjson', '--timeout', '8'], '--max-old-space-size=64', 7, 'timeout'],
  ['collected for one JSON document', ['--json'], '', 1, 'endless_list'],
])('memory is bounded with endless pages of 2 MB: %s', async (_, more, heap, exitCode, code) => {
  const ended = await list(endlessPages(100, 20_000), ['--all', ...more], heap);

  expect(ended).toEqual({ exitCode, code, peakMiB: expect.any(Number) });
  expect(ended.peakMiB).toBeLessThan(MOST_MIB + 100);
});
