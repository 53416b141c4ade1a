import type { Connect, WireRequest } from '../../src/model/ports.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import type { Result } from '../helpers/cli.ts';

/** Characters that must not reach a terminal, listed independently of the escaping in src. */
const forbidden = new RegExp(
  [
    // C0 except newline and tab, DEL, C1, lone surrogates, line and paragraph separators.
    '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u2028\\u2029]|\\p{Cs}',
    // Bidirectional controls.
    '[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]',
    // Invisible characters: zero width, joiners, fillers, annotations, tags, selectors without a character.
    '[\\u00ad\\u034f\\u115f\\u1160\\u180b-\\u180e\\u200b-\\u200d\\u2060-\\u2065\\u206a-\\u206f\\u3164\\ufeff\\uffa0]',
    '[\\ufff0-\\ufffb\\u{13430}-\\u{1343f}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e00ff}]|(?<=[A-Za-z])[\\ufe00-\\ufe0f]',
  ].join('|'),
  'gu',
);

/** The colour sequences that innctl itself prints. */
const ownColours = new RegExp(`${String.fromCharCode(27)}\\[(?:1|22|31|32|33|36|39)m`, 'g');

/** Control sequences that a name from a service or a file may contain, by kind. */
export const attacks = {
  'clear screen': '\u001b[2J\u001b[31;1m',
  'a title': '\u001b]0;owned\u0007',
  hyperlink: '\u001b]8;;https://evil.example\u001b\\BER\u001b]8;;\u001b\\',
  'clipboard write': '\u001b]52;c;b3duZWQ=\u0007',
  'DCS, APC, PM and SOS strings': '\u001bP$q"p\u001b\\\u001b_x\u001b\\\u001b^x\u001b\\\u001bXx\u001b\\',
  'mode changes and status requests': '\u001b[?1049h\u001b[?25l\u001b[6n\u001b[5i\u001bc',
  'C1 controls': '\u009b31m\u009d0;owned\u009c\u0090x\u009c\u0085',
  'cursor movement': 'MUC\rBER\b\b\bVIE\u000b\u000c',
  NUL: 'B\u0000ER',
  DEL: 'B\u007fER',
  'bidirectional controls': '\u202eREB\u202c\u2066x\u2069\u200e\u200f\u061c',
  'zero width': 'B\u200bE\u200cR\u200d\u2060\ufeff\u180e\u00ad\u034f',
  fillers: '\u115f\u1160\u3164\uffa0\u2064\u206a\ufff9x\ufffb\u{1d173}\u{13430}',
  tags: 'B\u{e0001}\u{e0042}\u{e007f}',
  selectors: 'B\ufe0fE\ufe00',
  separators: 'B\u2028E\u2029R',
  'lone surrogates': '\ud800B\udfff',
  'forged lines':
    'B\nerror: forged\r\nhint: forged\nwarning: forged\n\ndebug: forged\trequest id: forged\nDone.',
} as const;

/** All attacks in one name. */
export const hostile = Object.values(attacks).join('-');

/** The same without characters that cannot be passed as an argument. */
export const typed = hostile.replaceAll('\0', '').toWellFormed().replaceAll('\ufffd', '');

/** The forbidden characters in a text; with `colour`, the colours of innctl are allowed. */
export function obeyedIn(text: string, colour = false): readonly string[] {
  const bare = colour ? text.replaceAll(ownColours, '') : text;
  return [...new Set(bare.match(forbidden) ?? [])].map((each) => `U+${each.codePointAt(0)?.toString(16)}`);
}

/** The faults in the output of a run: unescaped characters and forged lines. */
export function wrongIn({ stdout, stderr }: Pick<Result, 'stdout' | 'stderr'>, colour = false) {
  return {
    stdout: obeyedIn(stdout, colour),
    stderr: obeyedIn(stderr, colour),
    forged: stderr
      .split('\n')
      .filter((line) => /^(?:(?:error|hint|warning|debug): forged|Done\.)/.test(line)),
  };
}

/** The expected result of wrongIn. */
export const nothingWrong = { stdout: [], stderr: [], forged: [] };

/** One answer of a service; a body that is not text is sent as JSON. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A connection to a simulated service with these answers. */
export function answering(answer: (request: WireRequest) => Answer): Connect {
  return async () => ({
    close: async () => {},
    request: async (request) => {
      request.onSent?.();
      const { status = 200, headers = {}, body } = answer(request);
      const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
      return {
        status,
        headers: { 'content-type': 'application/json', ...headers },
        bytes: Buffer.from(body === undefined ? '' : text),
      };
    },
  });
}

/** The same connection, and how many requests it was given. */
export function counting(connect: Connect): { readonly connect: Connect; sent(): number } {
  let sent = 0;
  return {
    connect: async (options) => {
      const transport = await connect(options);
      return {
        ...transport,
        request: (request) => {
          sent += 1;
          return transport.request(request);
        },
      };
    },
    sent: () => sent,
  };
}

/** A record with hostile field names and values, and numbers and flags that complete it. */
export function hostileRecord(own: Readonly<Record<string, unknown>> = {}) {
  return {
    id: hostile,
    code: hostile,
    email: hostile,
    subject_id: hostile,
    first_name: hostile,
    last_name: hostile,
    role: hostile,
    status: hostile,
    created_at: hostile,
    created: hostile,
    name: { en: hostile, [hostile]: hostile },
    description: { en: hostile },
    title: hostile,
    type: hostile,
    alpha2: hostile,
    location: { city: hostile, country_code: hostile },
    company_name: hostile,
    property: { id: hostile },
    properties: [hostile, { id: hostile }],
    property_roles: [{ id: hostile, roles: [hostile], [hostile]: [hostile] }],
    member_count: 1,
    max_persons: 2,
    [hostile]: { [hostile]: hostile },
    ...own,
  };
}

/** A service whose records are hostile; a record requested by id has that id. */
export const hostileService = answering(({ url }) => {
  const { pathname } = new URL(url);
  if (pathname.endsWith('/$count')) return { body: 2 };
  const [, requestedId] = /\/(?:properties|users|unit[a-z-]+)\/([^/]+)$/.exec(pathname) ?? [];
  const own = requestedId === undefined ? {} : { id: requestedId, subject_id: requestedId };
  const isOne = requestedId !== undefined || pathname.endsWith('/me');
  const items = [
    hostileRecord(),
    hostileRecord({ id: 'BER', subject_id: 'u-2', email: 'ben@aurora.example' }),
  ];
  return { headers: hostileHeaders, body: isOne ? hostileRecord(own) : { count: 2, items } };
});

const hostileHeaders = {
  'x-request-id': hostile,
  date: hostile,
  [`x-${hostile}`]: hostile,
  server: hostile,
};

/** The sandbox, whose texts and names of people end in hostile ones, and whose records have a hostile field. */
export const hostileSandbox: Connect = async (options) => {
  const transport = await connectUndici(options);
  return {
    close: transport.close,
    request: async (request) => {
      const answer = await transport.request(request);
      const text = Buffer.from(answer.bytes).toString();
      const isJson = /^[[{]/.test(text);
      const headers = { ...answer.headers, ...hostileHeaders };
      return {
        ...answer,
        headers,
        bytes: isJson ? Buffer.from(JSON.stringify(JSON.parse(text, withHostile))) : answer.bytes,
      };
    },
  };
};

function withHostile(key: string, value: unknown): unknown {
  if (typeof value === 'string' && (/^(en|de|first_?name|last_?name)$/i.test(key) || value.includes(' ')))
    return value + hostile;
  return Array.isArray(value)
    ? value.map((each) => (typeof each === 'object' ? { ...each, [hostile]: hostile } : each))
    : value;
}
