import { describe, expect, test } from 'vitest';
import { OutcomeUnknown } from '../../src/model/errors.ts';
import { contract } from '../../src/service/dialect.ts';
import { invitationsApi } from '../../src/service/invitations.ts';
import type { Call } from '../../src/service/reading.ts';
import { areaOptions } from './sending.ts';

const NOON = Date.UTC(2026, 3, 21, 12);
const email = 'ana@example.com';
const doubt = new OutcomeUnknown('Nobody knows.');

/** Invites Ana during half a minute of lost responses; the list has one invitation for her, made this long after noon. */
function invite(madeAfterMs: number) {
  let now = NOON;
  const created = new Date(NOON + madeAfterMs).toISOString();
  const call: Call = async (id) => {
    if (id !== 'listInvitations') {
      now += 30_000;
      throw doubt;
    }
    const headers = { date: new Date(now).toUTCString() };
    const body = { invitations: [{ email, created }] };
    return { status: 200, headers, body, requestId: undefined };
  };
  const sleep = async (ms: number) => {
    now += ms;
  };
  return invitationsApi(call, contract, { ...areaOptions, now: () => now, sleep }).create({ email });
}

describe('an invitation whose responses were lost for half a minute', () => {
  test.each([0, 1_000, 29_000])(
    'is matched with the listed one that was made %i ms after the first attempt',
    async (ms) => {
      expect(await invite(ms)).toMatchObject({ email });
    },
  );

  test.each([3_600_000, 86_400_000])(
    'is not matched with a listed one dated %i ms later, in the future',
    async (ms) => {
      await expect(invite(ms)).rejects.toBe(doubt);
    },
  );

  test.each([-3_000, -30_000, -3_600_000])(
    'is not matched with the listed one that was made %i ms after it',
    async (ms) => {
      await expect(invite(ms)).rejects.toBe(doubt);
    },
  );
});
