import type { DialectName } from '../../checks/dialect-names.ts';
import { apaleo } from './apaleo.ts';
import { contract } from './contract.ts';
import type { Dialect } from './dialect.ts';

/** Every dialect by the name that the setting `dialect` has for it. */
export const dialects: Readonly<Record<DialectName, Dialect>> = { contract, apaleo };
