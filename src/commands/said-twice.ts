import type { Query } from '../api/dialects/dialect.ts';
import { plainName } from '../api/fields.ts';
import type { Detail } from '../errors.ts';

/**
 * The parameters of --param, in any spelling, that a flag gives as well.
 *
 * @param own what flags give, by the names of the parameters; `undefined` where a flag is not given.
 */
export function saidTwice(own: Query, further: Query): readonly Detail[] {
  const letters = (name: string) => plainName(name).replaceAll('_', '');
  const given = Object.keys(own).filter((name) => own[name] !== undefined);
  const flags = new Map(given.map((name) => [letters(name), `--${name.replaceAll('_', '-')}`]));
  return Object.keys(further).flatMap((name) => {
    const flag = flags.get(letters(name));
    return flag === undefined
      ? []
      : [{ field: '--param', reason: `${name} is given by a flag too: ${flag}` }];
  });
}
