import type { Query } from '../api/dialects/dialect.ts';
import type { Detail } from '../errors.ts';

/** What the spellings of a parameter have in common: `pageSize`, `page_size`. */
export function lettersOf(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

/**
 * The parameters of --param, in any spelling, that a flag gives as well.
 *
 * @param own what flags give, by the names of the parameters; `undefined` where a flag is not given.
 */
export function saidTwice(own: Query, further: Query): readonly Detail[] {
  const given = Object.keys(own).filter((name) => own[name] !== undefined);
  const flags = new Map(given.map((name) => [lettersOf(name), `--${name.replaceAll('_', '-')}`]));
  return Object.keys(further).flatMap((name) => {
    const flag = flags.get(lettersOf(name));
    return flag === undefined
      ? []
      : [{ field: '--param', reason: `${name} is given by a flag too: ${flag}` }];
  });
}
