import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/model/errors.ts';
import { decodeFully, fillPath, idProblem } from '../../src/model/text.ts';
import type { ServiceRequest } from '../../src/service/answer.ts';
import { contract } from '../../src/service/dialect.ts';
import { type OperationId, operations } from '../../src/service/operations.ts';
import { addressed, segmentsIn } from '../../src/service/raw.ts';
import { createCall } from '../../src/service/reading.ts';
import { text } from '../helpers/arbitrary.ts';
import { fc } from '../helpers/laws.ts';

/** Ids and addresses as users type them, and values that could escape from a path. */
const value = fc.oneof(
  text,
  fc.emailAddress(),
  fc.webPath(),
  text.map((each) => `${each}@example.com`),
  fc.constantFrom(
    '..',
    '.',
    '%2e%2e',
    '..%2f',
    'me',
    '$count',
    'BER/../MUC',
    'BER?expand=x',
    'BER;x',
    'BER#',
    'BER\\..',
  ),
  fc.constantFrom(
    '%252e%252e',
    '%c0%ae',
    '．．',
    '∕',
    'a@b/../../roles',
    '../@',
    'users@/me',
    '@',
    'a@b?x=y',
    'a@b%2F..',
    'a@b%252f%25ff..',
    'a@b%5c..',
    'a@b／..',
    '..;x',
  ),
  fc.string({
    unit: fc.constantFrom('a', '.', '/', '%', '2', 'e', 'f', '\\', '@', '?', '#', ' '),
    maxLength: 12,
  }),
);

// The keys of the table are the ids by definition.
const addressing = (Object.keys(operations) as OperationId[]).filter((id) =>
  operations[id].path.includes('{'),
);

/** The URL that a call would send, `undefined` when the value was rejected and nothing sent. */
async function urlOf(id: OperationId, value: string): Promise<URL | undefined> {
  const sent: ServiceRequest[] = [];
  const service = {
    identityUrl: 'https://identity.example.com/base',
    baseUrl: 'https://api.example.com/base',
    dialect: contract,
    idempotencyHeader: 'Idempotency-Key',
  };
  const call = createCall(service, async (request) => {
    sent.push(request);
    return { status: 204, headers: {}, body: undefined, requestId: undefined };
  });
  try {
    await call(id, { id: value, email: value, subjectId: value });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    expect({ exitCode: error.exitCode, sent }).toEqual({ exitCode: 2, sent: [] });
    return undefined;
  }
  expect(sent.map(({ ids }) => ids.includes(value))).toEqual([true]);
  return new URL(sent[0]?.url ?? '');
}

describe.each(addressing)('%s', (id) => {
  test('reaches only the named record, or nothing is sent', async () => {
    const { path, method } = operations[id];
    const placeholder = path.split('/').findIndex((part) => part.startsWith('{'));
    await fc.assert(
      fc.asyncProperty(value, async (named) => {
        const url = await urlOf(id, named);
        if (url === undefined) return;
        const inside = url.pathname.slice('/base'.length);
        const segments = inside.split('/');

        expect(segments.length).toBe(path.split('/').length);
        expect(decodeFully(inside).split(/[/\\]/).length).toBe(segments.length);
        expect(decodeURIComponent(segments[placeholder] ?? '')).toBe(named);
        expect({ search: url.search, hash: url.hash }).toEqual({ search: '', hash: '' });
        expect(addressed(method, inside).operation).toBe(operations[id]);
      }),
    );
  });
});

test('an accepted id is unchanged by repeated decoding', () => {
  fc.assert(
    fc.property(value, (id) => {
      fc.pre(idProblem(id) === undefined);

      expect(segmentsIn(fillPath('/inventory/v1/properties/{id}', { id }))).toEqual([
        ...['inventory', 'v1', 'properties'],
        id,
      ]);
    }),
  );
});

test('a path of any kind is parsed without an error, and only its ids are extracted', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), (parts) => {
      const { ids } = addressed('GET', `/${parts.join('/')}`);

      expect(ids.every((id) => !/%[\da-f]{2}/i.test(id) || !isEncoded(id))).toBe(true);
    }),
  );
});

function isEncoded(text: string): boolean {
  const codes = text.match(/(?:%[\da-f]{2})+/gi) ?? [];
  return codes.some((code) => {
    try {
      return decodeURIComponent(code) !== code;
    } catch {
      return false;
    }
  });
}
