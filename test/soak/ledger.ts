import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Carried, Refusal } from './gateway.ts';

/** What passed the gateway, counted. */
export interface Ledger {
  arrived(request: IncomingMessage): void;
  answered(request: IncomingMessage, body: Buffer, answer: Carried | undefined): void;
  refused(request: IncomingMessage, refusal: Refusal): void;
  /** How often each property was created anew: a repetition of the first answer does not count. */
  readonly creations: ReadonlyMap<string, number>;
  /** Creations that the service refused because the thing was there: each would be a duplicate elsewhere. */
  readonly duplicates: readonly string[];
  /** How often each address was sent in a request that the service did not certainly refuse. */
  readonly mails: ReadonlyMap<string, number>;
  /** Creations that were answered with what an earlier one with the same key got. */
  readonly replays: number;
  /**
   * Requests that were sent before a Retry-After was over, in milliseconds before its end. On the connection that brought
   * it any request is early; on every other one the first may have been in flight already.
   */
  readonly early: readonly number[];
  /** How often it asked. */
  readonly holds: number;
  /** Requests that the service left without an answer. */
  readonly dropped: number;
}

/** Where a timer may fire early. */
const SLACK_MS = 5;

/** Counts nothing yet. */
export function createLedger(now = () => performance.now()): Ledger {
  const creations = new Map<string, number>();
  const mails = new Map<string, number>();
  const duplicates: string[] = [];
  const early: number[] = [];
  let holds: readonly { readonly until: number; readonly seen: Set<Socket> }[] = [];
  const sums = { replays: 0, holds: 0, dropped: 0 };

  const hold = ({ socket }: IncomingMessage, headers: Readonly<Record<string, unknown>>) => {
    const seconds = secondsIn(headers);
    if (seconds === undefined) return;
    holds = [...holds, { until: now() + seconds * 1_000 - SLACK_MS, seen: new Set([socket]) }];
    sums.holds += 1;
  };
  return {
    creations,
    duplicates,
    mails,
    early,
    get replays() {
      return sums.replays;
    },
    get holds() {
      return sums.holds;
    },
    arrived({ socket }) {
      const at = now();
      holds = holds.filter(({ until }) => at < until);
      const broken = holds.find(({ seen }) => seen.has(socket));
      if (broken !== undefined) early.push(broken.until - at);
      for (const { seen } of holds) seen.add(socket);
    },
    get dropped() {
      return sums.dropped;
    },
    refused: (request, { headers }) => hold(request, headers),
    answered(request, body, answer) {
      const { method, url = '' } = request;
      const status = answer?.status ?? 0;
      if (answer === undefined) sums.dropped += 1;
      if (status === 429 || status === 503) hold(request, answer?.headers ?? {});
      if (method !== 'POST') return;
      const name = nameIn(body);
      const isTaken = status === 409 && String(answer?.bytes).includes('already_exists');
      if (isTaken) duplicates.push(name);
      if (!url.endsWith('/properties')) {
        if (status !== 429 && status !== 503) count(mails, name);
        return;
      }
      if (status !== 201) return;
      if (answer?.headers['idempotent-replayed'] === 'true') sums.replays += 1;
      else count(creations, name);
    },
  };
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** In seconds alone, or as a date beside the answer's own. */
function secondsIn(headers: Readonly<Record<string, unknown>>): number | undefined {
  const asked = headers['retry-after'];
  if (asked === undefined) return undefined;
  const until = Date.parse(String(asked));
  return /^\d+$/.test(String(asked)) ? Number(asked) : (until - Date.parse(String(headers['date']))) / 1_000;
}

function nameIn(body: Buffer): string {
  const { code, email }: { readonly code?: string; readonly email?: string } = JSON.parse(String(body));
  return code ?? email ?? '';
}
