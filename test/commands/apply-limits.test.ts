import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { hotelsYaml, seeding } from '../helpers/seeding.ts';
import { httpServer } from '../helpers/servers.ts';
import { settled } from '../service/standing-clock.ts';

const codes = Array.from({ length: 60 }, (_, index) => `H${String(index).padStart(2, '0')}`);

/** The requests that the service accepts per second. */
const RATE_LIMIT = 10;

const NOON = Date.UTC(2026, 4, 1, 12);

/**
 * A rate-limiting proxy: accepts ten requests per second of a clock that advances only when the program sleeps.
 */
async function limiter(service: string) {
  let now = NOON + 1;
  let span = 0;
  let counted = 0;
  let refused = 0;
  let inFlight = 0;
  const server = await httpServer(async (request, response) => {
    inFlight += 1;
    response.once('close', () => {
      inFlight -= 1;
    });
    const body = await buffer(request);
    const current = Math.floor(now / 1_000);
    if (current !== span) [span, counted] = [current, 0];
    counted += 1;
    const date = new Date(now).toUTCString();
    const head = { date };
    if (counted > RATE_LIMIT) {
      refused += 1;
      response.writeHead(429, head).end();
      return;
    }
    const { method = 'GET', url } = request;
    const passed = ['authorization', 'content-type', 'idempotency-key', 'accept'].flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    });
    const answer = await fetch(`${service}${url}`, {
      method,
      headers: Object.fromEntries(passed),
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
    const type = answer.headers.get('content-type');
    response.writeHead(answer.status, { ...head, ...(type === null ? {} : { 'content-type': type }) });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  return {
    ...server,
    sleep: async (ms: number, signal: AbortSignal) => {
      signal.throwIfAborted();
      // The clock advances only after the requests in flight have ended.
      while (inFlight > 0) await settled();
      now += ms;
    },
    refused: () => refused,
  };
}

async function applyWithLimiter() {
  const hotels = await seeding();
  await using front = await limiter(hotels.url);
  const env = { INNCTL_IDENTITY_URL: front.origin, INNCTL_BASE_URL: front.origin };
  const file = await hotels.file('hotels.yaml', hotelsYaml(...codes));
  const { exitCode, stderr } = await hotels.innctl(`apply ${file} --yes --concurrency 4`, {
    env,
    now: NOON,
    sleep: front.sleep,
  });
  const created = (await hotels.hotels()).filter((id) => codes.includes(id)).length;
  return { exitCode, created, refused: front.refused(), stderr };
}

test('a run of many rows completes at a service with a rate limit of ten requests per second', async () => {
  const { exitCode, created, refused } = await applyWithLimiter();

  expect({ exitCode, created }).toEqual({ exitCode: 0, created: 60 });
  expect(refused).toBeGreaterThan(0);
});
