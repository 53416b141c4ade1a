import { describe, expect, test } from 'vitest';
import { countryProblem, currencyProblem, currencyWarning } from '../../src/model/codes.ts';
import {
  emailProblem,
  nameProblem,
  nearest,
  nearestAddress,
  quote,
  runIdProblem,
  textProblem,
} from '../../src/model/text.ts';
import { inexactNumber, languageProblem, timeOfDayProblem, timeZoneProblem } from '../../src/model/values.ts';
import { text } from '../helpers/arbitrary.ts';
import { fc } from '../helpers/laws.ts';

const letters = fc.string({ unit: fc.constantFrom(...'abcdeEUKGBuszZ-_:/0129'), maxLength: 12 });
const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
const tags = fc.constantFrom(
  'de',
  'de-AT',
  'zh-Hant-TW',
  'pt-BR',
  'sr-Latn',
  'en-US-u-ca-buddhist',
  'iw',
  'gsw',
);

const checks = {
  country: countryProblem,
  currency: currencyProblem,
  email: emailProblem,
  language: languageProblem,
  runId: runIdProblem,
  text: textProblem,
  name: nameProblem,
  timeOfDay: timeOfDayProblem,
  timeZone: timeZoneProblem,
};

/** Nearly valid values: another case, a character more or less. */
const nearly = fc
  .tuple(
    fc.oneof(
      zones,
      tags,
      fc.emailAddress(),
      fc.constantFrom('DE', 'UK', 'EUR', 'DEM', '15:00:00', '9:30', '24:00'),
    ),
    fc.constantFrom<(value: string) => string>(
      (value) => value,
      (value) => value.toLowerCase(),
      (value) => value.toUpperCase(),
      (value) => value.slice(1),
      (value) => `${value} `,
      (value) => `\u200b${value}`,
    ),
  )
  .map(([value, change]) => change(value));

const value = fc.oneof(text, letters, nearly);

describe.each(Object.entries(checks))('the check %s', (_, check) => {
  test('returns undefined or one short clause for any input', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          value,
          value.map((each) => each.repeat(2_000)),
        ),
        (any) => {
          const problem = check(any);

          expect(problem === undefined || (problem.length > 0 && problem.length < 500)).toBe(true);
          expect(check(any)).toBe(problem);
        },
      ),
    );
  });

  test('accepts the value that it suggests', () => {
    fc.assert(
      fc.property(value, (any) => {
        const problem = check(any) ?? '';
        const [, advice] = / (?:write|written|mean) ([^ ?]+)\??$/.exec(problem) ?? [];
        if (advice === undefined) return;

        expect(check(advice)).toBe(undefined);
      }),
    );
  });

  test('rejects control and invisible characters', () => {
    fc.assert(
      fc.property(
        value.map((each) => each.toWellFormed()),
        fc.constantFrom('\u0000', '\u001b[2J', '\n', '\r', '\u0085', '\u202e', '\u200b', '\ud800'),
        value.map((each) => each.toWellFormed()),
        (before, hidden, after) => {
          expect(check(`${before}${hidden}${after}`)).not.toBe(undefined);
        },
      ),
    );
  });
});

test('an accepted address has one domain and no separators', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.emailAddress(),
        text,
        fc.tuple(text, fc.domain()).map((parts) => parts.join('@')),
      ),
      (any) => {
        if (emailProblem(any) !== undefined) return;

        expect(any).toMatch(/^[^\s@"(),:;<>[\]\\]+@[^\s@]+\.[^\s@]+$/);
      },
    ),
  );
});

test('an address that is valid in HTML is accepted when it has no slash', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (address) => {
      fc.pre(!/\/|%[\da-f]{2}/i.test(address));

      expect(emailProblem(address)).toBe(undefined);
    }),
  );
});

test('a withdrawn currency is accepted with a warning', () => {
  fc.assert(
    fc.property(letters, (code) => {
      expect(currencyWarning(code) === undefined || currencyProblem(code) === undefined).toBe(true);
    }),
  );
});

test('a suggestion is one of the candidates, and an exact candidate suggests itself', () => {
  fc.assert(
    fc.property(text, fc.array(text, { minLength: 1, maxLength: 8 }), (typed, candidates) => {
      expect([undefined, ...candidates]).toContain(nearest(typed, candidates));
      expect([undefined, ...candidates]).toContain(nearestAddress(typed, candidates));
      for (const each of candidates) expect(nearest(each, [each])).toBe(each);
    }),
  );
});

test('quoted text is a JSON string of at most 60 characters', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        text.map((each) => each.repeat(50)),
      ),
      (any) => {
        const quoted = quote(any);

        expect(typeof JSON.parse(quoted)).toBe('string');
        expect(JSON.parse(quoted).length).toBeLessThanOrEqual(60);
      },
    ),
  );
});

describe('a number', () => {
  test('written by JSON is exact', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), text, (number, beside) => {
        expect(inexactNumber(JSON.stringify({ [beside]: [number, beside] }))).toBe(undefined);
      }),
    );
  });

  test('that is an integer is reported when JSON would write another one', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (integer) => {
        const isExact = integerOf(JSON.stringify(Number(integer))) === integer;

        expect(inexactNumber(`[${integer}]`)).toBe(isExact ? undefined : String(integer));
      }),
      { examples: [[119209289550781250000000n], [2n ** 53n + 1n]] },
    );
  });

  /** The integer of a number such as `1.5e+21`. */
  function integerOf(json: string): bigint {
    const [digits = '', exponent = '0'] = json.split('e');
    const [whole = '', fraction = ''] = digits.split('.');
    return BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length);
  }
});
